"""All that a conversion gives, with plans and without: for tests that compare the two."""

from __future__ import annotations

from typing import Final

from ocml_bridge import BridgeError, Options, convert
from ocml_bridge.report.policy import LENIENT

PLAIN: Final = Options(plans=False, force_format=True)
PLANNED: Final = Options(force_format=True)


def outcome(data: bytes, source: str, target: str, options: Options) -> object:
    """All that a conversion gives, or the error that it raises."""
    try:
        result = convert(data, source=source, target=target, options=options, policy=LENIENT)
    except BridgeError as error:
        return str(error)
    losses = sorted(map(repr, result.losses))
    whole = result.encode(), losses, result.order, result.characters, result.origins, result.transcript, result.findings
    return *whole, result.image
