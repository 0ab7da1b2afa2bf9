"""Which records of a run are converted: each conversation once, and a sample drawn at random.

Records that are left out become blank lines, which are no records. So the others keep their places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from .records import Input

if TYPE_CHECKING:
    from ..layouts import Plan


def chosen_from(inputs: tuple[Input, ...], choice: Choice) -> tuple[Input, ...]:
    """Inputs as they are read where records are chosen: from their beginning, record by record.

    Raises:
        BridgeError: OCB-OPTION for what cannot be.
    """
    return tuple(_in_order(item, choice) for item in inputs)


def _in_order(item: Input, choice: Choice) -> Input:
    if item.kind == "parquet" and choice.rows is not None:
        return replace(item, kind="rows")
    if item.kind in ("parquet", "files"):
        what = "a file of texts" if item.kind == "files" else "Parquet without a --plan"
        raise BridgeError(
            ErrorCode.OPTION, f"{item.path}: --unique and --sample are for lines and rows; this is {what}"
        )
    return item


BLANK: Final = b"\n"
_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class Choice:
    """What somebody asks for.

    Attributes:
        unique: whether a conversation that was there before is left out.
        sample: which share of the records to draw; 1 for all.
        seed: what the sample is drawn by: the same seed draws the same records.
        rows: what rows are, so that columns beside a conversation do not tell it from another; None for whole records.
    """

    unique: bool = False
    sample: float = 1.0
    seed: int = 0
    rows: Plan | None = None


@dataclass(slots=True)
class Selection:
    """What was chosen so far.

    Attributes:
        choice: what is asked for.
        repeated: how many records were there before.
        undrawn: how many are not in the sample.
    """

    choice: Choice
    repeated: int = 0
    undrawn: int = 0
    _seen: set[bytes] = field(default_factory=set[bytes])

    def of(self, item: Input, lines: Iterator[bytes]) -> Iterator[bytes]:
        """The lines of an input, blank where a record is left out."""
        for number, line in enumerate(lines):
            if not line.strip():
                yield line
            elif self.choice.unique and not self._is_new(line):
                self.repeated += 1
                yield BLANK
            elif not self._is_drawn(item, number, line):
                self.undrawn += 1
                yield BLANK
            else:
                yield line

    def _is_new(self, line: bytes) -> bool:
        """Whether no record before was the same conversation; some 100 bytes are kept of each."""
        digest = blake2b(self._text(line), digest_size=12).digest()
        if digest in self._seen:
            return False
        self._seen.add(digest)
        return True

    def _text(self, line: bytes) -> bytes:
        """What tells a conversation from others: its documents, where it is a row of a plan that can be read."""
        if self.choice.rows is not None:
            from ..layouts import read_row
            from .plan_rows import row_of

            try:
                documents = read_row(self.choice.rows, row_of(line)).documents
                return jsontext.dumps([each.value for each in documents])
            except BridgeError:
                pass
        return line.strip()

    def _is_drawn(self, item: Input, number: int, line: bytes) -> bool:
        if self.choice.sample >= 1:
            return True
        place = f"{self.choice.seed}\0{item.output}\0{number}\0".encode("utf-8", "surrogateescape")
        drawn = int.from_bytes(blake2b(place + line, digest_size=_BITS // 8).digest())
        return drawn < self.choice.sample * 2**_BITS
