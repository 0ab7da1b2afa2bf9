"""Read files that people write, such as settings and plans, in YAML or JSON."""

from __future__ import annotations

from typing import Any

from ..errors import BridgeError, ErrorCode


def yaml_in(data: bytes) -> Any:
    """Return the value in a file.

    Raises:
        BridgeError: OCB-OPTION if it is not YAML, or has an impossible value, such as the 31st of February.
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
