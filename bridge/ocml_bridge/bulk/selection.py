"""Select the records of a run that are converted: each conversation once, or a random sample.

A record that is left out becomes a blank line, which is not a record, so that the other records keep their places.
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
    """Return the inputs as they are read for a selection: from the beginning, record by record.

    Raises:
        BridgeError: OCB-OPTION if an input cannot be read so.
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
    """The options of a selection.

    Attributes:
        unique: whether repeated conversations are left out.
        sample: the share of the records to draw; 1 for all.
        seed: the seed of the sample: the same seed draws the same records.
        rows: the plan of rows, so that only their conversations are compared; None to compare whole records.
    """

    unique: bool = False
    sample: float = 1.0
    seed: int = 0
    rows: Plan | None = None


@dataclass(slots=True)
class Selection:
    """The state of a selection.

    Attributes:
        choice: the options.
        repeated: the number of records that repeat an earlier one.
        undrawn: the number of records that are not in the sample.
    """

    choice: Choice
    repeated: int = 0
    undrawn: int = 0
    _seen: set[bytes] = field(default_factory=set[bytes])

    def of(self, item: Input, lines: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the lines of an input, with blank lines for records that are left out."""
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
        """Return whether no earlier record has the same conversation; the memory is about 100 bytes a record."""
        digest = blake2b(self._text(line), digest_size=12).digest()
        if digest in self._seen:
            return False
        self._seen.add(digest)
        return True

    def _text(self, line: bytes) -> bytes:
        """Return the data by which a conversation is compared: its documents, if it is a row of a plan."""
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
