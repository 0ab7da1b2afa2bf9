"""Files that people write: settings and plans, in YAML or JSON."""

from __future__ import annotations

from typing import Any

from ..errors import BridgeError, ErrorCode


def yaml_in(data: bytes) -> Any:
    """The value that a file holds.

    Raises:
        BridgeError: OCB-OPTION where it is not YAML, or says what no value is, such as the 31st of February.
    """
    import yaml

    try:
        return yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise BridgeError(ErrorCode.OPTION, f"not YAML: {' '.join(str(error).split())}") from error
    except ValueError as error:
        raise BridgeError(
            ErrorCode.OPTION, f"a value cannot be read: {error}; put it in quotes if it is a text"
        ) from error
    except RecursionError as error:
        raise BridgeError(ErrorCode.OPTION, "the file nests deeper than is safe to read") from error
