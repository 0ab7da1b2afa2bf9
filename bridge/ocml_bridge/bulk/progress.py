"""How far a run is: counts for a dry run; outputs and the journal, which never says more than they hold, for others."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from . import remote, texts
from .durable import discard, finish_moves, settle_folders
from .journal import Journal, Progress
from .outputs import Addition, Output, Prepared, Sizes, finals, put_in_place
from .plan import Plan
from .records import STANDARD, Done, Input, Position
from .tally import Tally

CHECKPOINT_SECONDS: Final = 1.0
"""How much time of work a run may lose when it is killed, in seconds, and then does again."""
_TOGETHER: Final = 64
"""How many inputs are put in their places together."""
PARTS: Final = ".ocml-convert.parts"
"""The folder in the output folder that processes write to."""


class Counted:
    """What a dry run knows: counts alone.

    Attributes:
        plan: what is done.
        inputs: how far each input is.
        parts: where processes write ranges; None for nowhere.
        room: where inputs are unpacked.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.inputs: dict[int, Progress] = {}
        self.parts: str | None = None
        self.room = tempfile.mkdtemp(prefix="ocml-convert-")

    def begin(self) -> dict[int, Position | None]:
        """The inputs that are to be read, and from where."""
        return dict.fromkeys(range(len(self.plan.inputs)))

    def open(self, index: int) -> None:
        """An input is about to be read."""
        self.inputs[index] = Progress([])

    def append(self, index: int, done: Done, _part: str | None) -> None:
        """A range of it is converted."""
        self.inputs[index].tally.merge(done.tally)
        self.inputs[index].position = done.end or self.inputs[index].position

    def finish(self, index: int) -> None:
        """All of it is converted."""
        self.inputs[index].stage = "done"

    def fail(self, index: int, error: str) -> None:
        """It cannot be read to its end; what was counted of it is not in any output."""
        self.inputs[index] = Progress([], "failed", error=error)

    def due(self, *, now: bool = False) -> tuple[Addition, ...]:  # noqa: ARG002  # there is nothing to settle
        """What is to be added to outputs, and to reach the disk, if it is time."""
        return ()

    def settled(self, sizes: tuple[Sizes, ...]) -> tuple[tuple[int, int], ...]:  # noqa: ARG002
        """What was due is done, and outputs are so long; gives the inputs that are to be prepared, with their rows."""
        return ()

    def put_in_place(self, prepared: tuple[Prepared, ...]) -> None:
        """The outputs of inputs are ready."""

    def finish_rest(self) -> None:
        """Inputs that the limit left unfinished are finished with it."""

    def end(self) -> None:
        """The run is over."""

    def close(self) -> None:
        """Leave everything as it is."""
        shutil.rmtree(self.room, ignore_errors=True)


class _Settling(NamedTuple):
    """An input of which something is being added to its output.

    Attributes:
        input: which input.
        output: where it goes.
        account: what the journal says of it then.
    """

    input: int
    output: Output
    account: dict[str, Any]


class Written(Counted):
    """A run that writes.

    Attributes:
        plan: what is done.
        inputs: how far each input is.
        parts: where processes write ranges.
        room: where inputs are unpacked.
    """

    def __init__(self, plan: Plan, folder: str) -> None:
        self.plan = plan
        self._folder = folder
        os.makedirs(folder, exist_ok=True)
        refuse = None if plan.overwrite else partial(refuse_foreign, folder, plan)
        self._journal = Journal(folder, plan.signature(), resume=plan.resume, refuse=refuse)
        self.inputs = self._journal.inputs
        self.parts = self.room = os.path.join(folder, PARTS)
        try:
            finish_moves(folder, self._journal.note)
            shutil.rmtree(self.parts, ignore_errors=True)
            os.mkdir(self.parts)
        except BaseException:
            self._journal.close()
            raise
        self._output: tuple[int, Output] | None = None
        self._complete: dict[int, Output] = {}
        self._settling: list[_Settling] = []
        self._settled = time.monotonic()

    def begin(self) -> dict[int, Position | None]:
        """Tell what is left to read.

        Raises:
            BridgeError: OCB-OPTION where an input was changed since the run began.
        """
        begin: dict[int, Position | None] = {}
        for index, item in enumerate(self.plan.inputs):
            progress = self.inputs.get(index)
            if progress is None or progress.stage == "failed":
                begin[index] = None
                continue
            if progress.stamp != _stamp(item):
                message = f"{item.path} was changed since the run began; remove the journal to begin again"
                raise BridgeError(ErrorCode.OPTION, message)
            if progress.stage == "complete":
                self._complete[index] = Output(self._folder, item, self.plan.job, progress)
            elif progress.stage == "begun":
                begin[index] = progress.position
        return begin

    def open(self, index: int) -> None:
        """Open its output, a new one or the one that the journal knows."""
        progress = self.inputs.get(index)
        if progress is None or progress.stage == "failed":
            progress = self._journal.begin(index, _stamp(self.plan.inputs[index]))
        self._output = index, Output(self._folder, self.plan.inputs[index], self.plan.job, progress)

    def append(self, index: int, done: Done, part: str | None) -> None:
        """What was written of a range is to be added to its output."""
        super().append(index, done, part)
        if part is not None:
            self._opened.parts.append(part)

    def finish(self, index: int) -> None:
        """Its output is complete; it is put in its place together with others."""
        self.inputs[index].stage = "complete"
        self._complete[index] = self._opened
        self._output = None

    def fail(self, index: int, error: str) -> None:
        """What there is of its output is dropped, and counts for nothing: the next run begins it again."""
        if all(index != each.input for each in self._settling):  # which is dropped when nothing is added to it
            self._opened.drop()
        self._output = None
        self._journal.fail(index, error)
        self.inputs[index].tally = Tally()

    def due(self, *, now: bool = False) -> tuple[Addition, ...]:
        """What is to be added to outputs, if it is time and all that was due before is done."""
        late = time.monotonic() - self._settled >= CHECKPOINT_SECONDS or len(self._complete) >= _TOGETHER
        if self._settling or not (now or late):
            return ()
        self._settling = [_Settling(index, output, self._journal.account(index)) for index, output in self._unsettled()]
        self._complete.clear()
        return tuple(
            Addition(each.input, each.output.taken(), self.inputs[each.input].sizes) for each in self._settling
        )

    def _unsettled(self) -> Iterator[tuple[int, Output]]:
        yield from self._complete.items()
        if self._output is not None and self._output[1].parts:
            yield self._output

    def settled(self, sizes: tuple[Sizes, ...]) -> tuple[tuple[int, int], ...]:
        """Outputs are so long, on the disk: the journal says so."""
        pairs = [(each, size) for each, size in zip(self._settling, sizes, strict=True) if not self._dropped(each)]
        settle_folders({folder for each, _ in pairs for folder in each.output.folders}, self._folder)
        self._journal.checkpoint((each.account, size) for each, size in pairs)
        for each, size in pairs:
            self.inputs[each.input].sizes = size
            each.output.folders.clear()
        self._settling = []
        self._settled = time.monotonic()
        return tuple(
            (each.input, self.inputs[each.input].tally.rows) for each, _ in pairs if "complete" in each.account
        )

    def _dropped(self, settling: _Settling) -> bool:
        """Whether an input has failed meanwhile, which leaves nothing of its output."""
        failed = self.inputs[settling.input].stage == "failed"
        if failed:
            settling.output.drop()
        return failed

    def put_in_place(self, prepared: tuple[Prepared, ...]) -> None:
        """Move outputs to their places."""
        folders: set[str] = set()
        sources: list[str] = []
        for each in prepared:
            found = put_in_place(self.plan.inputs[each.input], self.plan.job, self.inputs[each.input], each)
            folders |= found[0]
            sources += found[1]
        settle_folders(folders, self._folder)
        for path in sources:
            discard(path)
        self._journal.done(each.input for each in prepared)

    def finish_rest(self) -> None:
        """Inputs that the limit left unfinished are finished with it."""
        for index, progress in self.inputs.items():
            if progress.stage == "begun":
                if self._output is None:
                    self.open(index)
                self.finish(index)

    def end(self) -> None:
        """The run is over, and may be followed by another one."""
        self._journal.end()

    def close(self) -> None:
        """Close the journal; what is partial stays, for the next run."""
        self._journal.close()
        super().close()

    @property
    def _opened(self) -> Output:
        assert self._output is not None
        return self._output[1]


def _stamp(item: Input) -> list[int] | list[str]:
    if remote.is_address(item.path):
        return remote.about(item.path)[1]
    if item.kind == "files":
        return texts.stamp(item)
    if item.path == STANDARD or not os.path.isfile(item.path):
        return []  # a pipe is another one each time; what is not there fails where it is read
    found = os.stat(item.path)
    return [found.st_size, found.st_mtime_ns]


def refuse_foreign(folder: str, plan: Plan, before: Mapping[str, Any]) -> None:
    """Let no output take the place of a file that the folder's last run did not make of the same input.

    Raises:
        BridgeError: OCB-OPTION naming the first such file.
    """
    own = [tuple(item[:3]) for item in before.get("inputs", ())]
    there = [
        name
        for item in plan.inputs
        if (item.kind, item.path, item.output) not in own
        for name in finals(item, plan.job)
        if os.path.lexists(os.path.join(folder, name))
    ]
    if there:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        name = os.path.join(folder, there[0])
        message = f"{name}{more} would be overwritten; allow it with --overwrite, or name another folder"
        raise BridgeError(ErrorCode.OPTION, message)
