"""The laws of the contract of loss (docs/loss.md) as checks; the tests of all adapters call them."""

from __future__ import annotations

from ocml_bridge import Severity, jsontext, make_sidecar, read, verify, write
from ocml_bridge.adapter import Options
from ocml_bridge.diff import diff, is_element
from ocml_bridge.fit import covered
from ocml_bridge.loss import LossCode
from ocml_bridge.model import Document

DEFAULT = Options()

TELLS_OTHERS = frozenset({LossCode.CONTROL_TOKEN})
"""Losses that our reader undoes: readers other than ours see the change."""


def no_silent_loss(document: Document, target: str, options: Options = DEFAULT) -> None:
    """Law 2: every place where the output reads differently is at or below the path of a reported loss."""
    result = write(document, target, options=options)
    assert verify(document, result, options=options) == ()


def no_crying_wolf(document: Document, target: str, options: Options = DEFAULT) -> None:
    """Law 3: what is called lost or changed does differ in what the output reads as."""
    result = write(document, target, options=options)
    back = read(result.encode(), target).transcript
    gone = {loss.path for loss in result.losses if is_element(loss.path)}
    places = [place.path for place in diff(document, back, gone)]
    for loss in result.losses:
        if loss.severity is Severity.LAYOUT or loss.code in TELLS_OTHERS or loss.path in gone:
            continue
        assert any(covered(place, {loss.path}) for place in places), f"{loss} names no difference"


def stable(document: Document, target: str, options: Options = DEFAULT) -> None:
    """What the target can hold it holds: writing what was read back changes and loses nothing more, to the byte."""
    first = write(document, target, options=options)
    again = write(read(first.encode(), target).transcript, target, options=options)
    assert again.encode() == first.encode()


def reversible(document: Document, target: str, options: Options = DEFAULT) -> None:
    """Law 8: the output with its sidecar gives the document exactly."""
    result = write(document, target, options=options)
    sidecar = jsontext.loads(jsontext.dumps(make_sidecar(result, options=options)))
    assert read(result.encode(), target, sidecar=sidecar).transcript == document


def all_laws(document: Document, target: str, options: Options = DEFAULT) -> None:
    """Laws 2, 3 and 8, and stability, of one document and one target."""
    no_silent_loss(document, target, options)
    no_crying_wolf(document, target, options)
    stable(document, target, options)
    reversible(document, target, options)
