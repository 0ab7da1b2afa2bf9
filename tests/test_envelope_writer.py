"""The writer of an envelope writes only what is read back, and encloses exactly the given units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from ocml_bridge import BridgeError, ErrorCode, Message, Options, Tool, Transcript
from ocml_bridge.loss import Log
from ocml_bridge.model import Alternative, Settings, replace
from ocml_bridge.units.envelopes import Body, Branches, EnvelopeWriter
from ocml_bridge.units.grammar import SplitDocument, WrittenUnit
from ocml_bridge.units.reader import UnitReader

UNITS: Final = ["one", "two"]


class Reader(UnitReader):
    """A reader of documents with a model and a note around their units; some notes are not understood."""

    def split_units(self, source: Any, log: Log) -> SplitDocument:
        if source.get("note") == "refused":
            raise BridgeError(ErrorCode.SHAPE, "this note is not understood", path="/note")
        units = source["units"]
        if source.get("note") == "fewer" or source.get("model") == "fewer":
            units = units[:-1]
        if source.get("note") == "others":
            units = [unit.upper() for unit in units]
        around = Transcript(settings=Settings(source["model"]) if "model" in source else None)
        if "note" in source:
            around.extras = {"toy": {"note": source["note"]}}
        return SplitDocument([*units], around, cut_off="cut" in source, document=source.get("branches"))

    def read_unit(self, unit: Any, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        return [Message("user", unit)]


class Writer(EnvelopeWriter):
    target = home = "toy"
    reader = Reader

    def body(self, units: list[Any], around: Transcript, state: Any) -> Body:
        return Body(units, [["a branch"] for _ in around.alternatives or ()], cut_off=state == "cut")

    def written(self, around: Transcript, body: Body) -> Any:
        out: dict[str, Any] = {"units": body.units}
        if around.settings is not None and around.settings.model is not None:
            out["model"] = around.settings.model
        if around.tools is not None:
            out["tools"] = [tool.name for tool in around.tools]
        out |= (around.extras or {}).get("toy", {})
        if body.branches:
            out["branches"] = [*body.branches]
        return {**out, "cut": True} if body.cut_off else out

    def branches(self, split: SplitDocument, around: Transcript) -> Branches | None:
        if not isinstance(split.document, list):
            return None
        first = (around.alternatives or ())[:1]
        return Branches(first, [["a branch"] for _ in first])

    def write_unit(
        self, group: Sequence[Message], state: Any, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        return WrittenUnit(group[0].content, group, None)


def noted(note: str, model: str = "m") -> Transcript:
    return Transcript(settings=Settings(model), extras={"toy": {"note": note}})


def enclosed(around: Transcript, state: object = None) -> tuple[Any, Transcript, bool]:
    """The output, what is read from its envelope, and whether it is read as unfinished."""
    made = Writer(Options()).enclose([*UNITS], around, state)
    return made.output, made.around, made.cut_off


def test_members_that_are_read_back_are_written() -> None:
    around = noted("good")
    assert enclosed(around) == ({"units": UNITS, "model": "m", "note": "good"}, around, False)
    assert enclosed(Transcript(), "cut") == ({"units": UNITS, "cut": True}, Transcript(), True)


@pytest.mark.parametrize("note", ["refused", "fewer", "others"])
def test_extras_that_would_change_the_reading_are_left_out(note: str) -> None:
    assert enclosed(noted(note)) == ({"units": UNITS, "model": "m"}, Transcript(settings=Settings("m")), False)


def test_the_whole_envelope_is_left_out_if_that_is_not_enough() -> None:
    around = replace(noted("good", "fewer"), tools=(Tool("look"),))
    assert enclosed(around) == ({"units": UNITS}, Transcript(), False)


def test_members_that_are_not_read_back_are_not_written() -> None:
    """A format without a place for tools does not write them, because no reader would find them."""
    around = Transcript(tools=(Tool("look"),), settings=Settings("m", temperature=1))
    assert enclosed(around) == ({"units": UNITS, "model": "m"}, Transcript(settings=Settings("m")), False)


def test_only_alternatives_that_are_read_back_are_written() -> None:
    one, other = (Alternative((Message("user", text),), 0, "choice") for text in ("One.", "Other."))
    output, around, _ = enclosed(Transcript(alternatives=(one, other)))
    assert output == {"units": UNITS, "branches": [["a branch"]]}
    assert around == Transcript(alternatives=(one,))
    assert enclosed(Transcript(alternatives=(one,))) == (output, around, False)


def test_a_reader_with_skeletons_must_define_with_values() -> None:
    with pytest.raises(NotImplementedError, match=r"Reader has skeletons: define with_values\(\), too"):
        Reader(Options()).with_values("one", [])
