"""Track the progress of a run: counts for a dry run; outputs and the journal for others.

The journal never counts more than the outputs hold.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from ...errors import BridgeError, ErrorCode
from ..containers import remote, texts
from ..plan import Plan
from ..records import STANDARD, Input, Position, RangeResult
from ..tally import Tally
from .durable import discard, finish_moves, sync_folders
from .journal import Journal, Progress
from .outputs import Addition, Output, Prepared, Sizes, finals, put_in_place

CHECKPOINT_SECONDS: Final = 1.0
"""The interval of checkpoints in seconds: the work that a killed run may have to repeat."""
_TOGETHER: Final = 64
"""The number of inputs that are moved into place together."""
PARTS: Final = ".ocml-convert.parts"
"""The folder in the output folder that processes write to."""


class DryRun:
    """The progress of a dry run, which only counts.

    Attributes:
        plan: the plan of the run.
        inputs: the progress of each input.
        parts: the folder that processes write ranges to; None for a dry run.
        unpacked_folder: the folder that inputs are unpacked to.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.inputs: dict[int, Progress] = {}
        self.parts: str | None = None
        self.unpacked_folder = tempfile.mkdtemp(prefix="ocml-convert-")

    def begin(self) -> dict[int, Position | None]:
        """Return the inputs that are to be read, with the positions to begin at."""
        return dict.fromkeys(range(len(self.plan.inputs)))

    def open(self, index: int) -> None:
        """Begin an input."""
        self.inputs[index] = Progress([])

    def append(self, index: int, done: RangeResult, _part: str | None) -> None:
        """Count a converted range."""
        self.inputs[index].tally.merge(done.tally)
        self.inputs[index].position = done.end or self.inputs[index].position

    def finish(self, index: int) -> None:
        """Mark an input as converted."""
        self.inputs[index].stage = "done"

    def fail(self, index: int, error: str) -> None:
        """Mark an input as failed; its counts are dropped, as it has no output."""
        self.inputs[index] = Progress([], "failed", error=error)

    def due(self, *, now: bool = False) -> tuple[Addition, ...]:  # noqa: ARG002
        """Return the parts to append to outputs now; none before the next checkpoint is due."""
        return ()

    def record_sizes(self, sizes: tuple[Sizes, ...]) -> tuple[tuple[int, int], ...]:  # noqa: ARG002
        """Record the sizes of outputs on the disk, and return the inputs to prepare with the numbers of their rows."""
        return ()

    def put_in_place(self, prepared: tuple[Prepared, ...]) -> None:
        """Move prepared outputs into place."""

    def finish_rest(self) -> None:
        """Finish the inputs that the limit left unfinished."""

    def end(self) -> None:
        """End the run."""

    def close(self) -> None:
        """Remove the unpacked inputs."""
        shutil.rmtree(self.unpacked_folder, ignore_errors=True)


class _Appending(NamedTuple):
    """An input to whose files parts are being appended.

    Attributes:
        input: the index of the input.
        output: its output.
        progress_line: the line for the journal once that is done.
    """

    input: int
    output: Output
    progress_line: dict[str, Any]


class WritingRun(DryRun):
    """The progress of a run that writes.

    Attributes:
        plan: the plan of the run.
        inputs: the progress of each input.
        parts: the folder that processes write ranges to.
        unpacked_folder: the folder that inputs are unpacked to.
    """

    def __init__(self, plan: Plan, folder: str) -> None:
        self.plan = plan
        self._folder = folder
        os.makedirs(folder, exist_ok=True)
        refuse = None if plan.overwrite else partial(refuse_foreign, folder, plan)
        self._journal = Journal(folder, plan.signature(), resume=plan.resume, refuse=refuse)
        self.inputs = self._journal.inputs
        self.parts = self.unpacked_folder = os.path.join(folder, PARTS)
        try:
            finish_moves(folder, self._journal.note)
            shutil.rmtree(self.parts, ignore_errors=True)
            os.mkdir(self.parts)
        except BaseException:
            self._journal.close()
            raise
        self._output: tuple[int, Output] | None = None
        self._complete: dict[int, Output] = {}
        self._appending: list[_Appending] = []
        self._last_checkpoint = time.monotonic()

    def begin(self) -> dict[int, Position | None]:
        """Return the inputs that are to be read, with the positions to begin at.

        Raises:
            BridgeError: OCB-OPTION if an input was changed since the run began.
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
        """Open the output of an input, a new one or the one in the journal."""
        progress = self.inputs.get(index)
        if progress is None or progress.stage == "failed":
            progress = self._journal.begin(index, _stamp(self.plan.inputs[index]))
        self._output = index, Output(self._folder, self.plan.inputs[index], self.plan.job, progress)

    def append(self, index: int, done: RangeResult, part: str | None) -> None:
        """Count a converted range, and keep its part for the next checkpoint."""
        super().append(index, done, part)
        if part is not None:
            self._opened.parts.append(part)

    def finish(self, index: int) -> None:
        """Mark an input as complete; its output is moved into place together with others."""
        self.inputs[index].stage = "complete"
        self._complete[index] = self._opened
        self._output = None

    def fail(self, index: int, error: str) -> None:
        """Drop the output and the counts of an input; the next run begins it again."""
        if all(index != each.input for each in self._appending):  # otherwise it is dropped after the append
            self._opened.drop()
        self._output = None
        self._journal.fail(index, error)
        self.inputs[index].tally = Tally()

    def due(self, *, now: bool = False) -> tuple[Addition, ...]:
        """Return the parts to append to outputs, if a checkpoint is due and the one before it is done."""
        late = time.monotonic() - self._last_checkpoint >= CHECKPOINT_SECONDS or len(self._complete) >= _TOGETHER
        if self._appending or not (now or late):
            return ()
        self._appending = [
            _Appending(index, output, self._journal.progress_line(index)) for index, output in self._with_new_parts()
        ]
        self._complete.clear()
        return tuple(
            Addition(each.input, each.output.take_parts(), self.inputs[each.input].sizes) for each in self._appending
        )

    def _with_new_parts(self) -> Iterator[tuple[int, Output]]:
        yield from self._complete.items()
        if self._output is not None and self._output[1].parts:
            yield self._output

    def record_sizes(self, sizes: tuple[Sizes, ...]) -> tuple[tuple[int, int], ...]:
        """Flush folders, record the sizes of outputs in the journal, and return the complete inputs with their rows."""
        pairs = [(each, size) for each, size in zip(self._appending, sizes, strict=True) if not self._dropped(each)]
        sync_folders({folder for each, _ in pairs for folder in each.output.folders}, self._folder)
        self._journal.checkpoint((each.progress_line, size) for each, size in pairs)
        for each, size in pairs:
            self.inputs[each.input].sizes = size
            each.output.folders.clear()
        self._appending = []
        self._last_checkpoint = time.monotonic()
        return tuple(
            (each.input, self.inputs[each.input].tally.rows) for each, _ in pairs if "complete" in each.progress_line
        )

    def _dropped(self, appending: _Appending) -> bool:
        """Return whether an input has failed meanwhile; if so, drop its output."""
        failed = self.inputs[appending.input].stage == "failed"
        if failed:
            appending.output.drop()
        return failed

    def put_in_place(self, prepared: tuple[Prepared, ...]) -> None:
        """Move outputs into place."""
        folders: set[str] = set()
        sources: list[str] = []
        for each in prepared:
            found = put_in_place(self.plan.inputs[each.input], self.plan.job, self.inputs[each.input], each)
            folders |= found[0]
            sources += found[1]
        sync_folders(folders, self._folder)
        for path in sources:
            discard(path)
        self._journal.done(each.input for each in prepared)

    def finish_rest(self) -> None:
        """Finish the inputs that the limit left unfinished."""
        for index, progress in self.inputs.items():
            if progress.stage == "begun":
                if self._output is None:
                    self.open(index)
                self.finish(index)

    def end(self) -> None:
        """Record the end of the run."""
        self._journal.end()

    def close(self) -> None:
        """Close the journal; partial files are kept for the next run."""
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
        return []  # a pipe has no stamp; a missing file fails when it is read
    found = os.stat(item.path)
    return [found.st_size, found.st_mtime_ns]


def refuse_foreign(folder: str, plan: Plan, before: Mapping[str, Any]) -> None:
    """Raise if an output would replace a file that the folder's last run did not make from the same input.

    Raises:
        BridgeError: OCB-OPTION with the first such file.
    """
    own = [tuple(item[:3]) for item in before.get("inputs", ())]
    existing = [
        name
        for item in plan.inputs
        if (item.kind, item.path, item.output) not in own
        for name in finals(item, plan.job)
        if os.path.lexists(os.path.join(folder, name))
    ]
    if existing:
        more = f" and {len(existing) - 1} more" if len(existing) > 1 else ""
        name = os.path.join(folder, existing[0])
        message = f"{name}{more} would be overwritten; allow it with --overwrite, or name another folder"
        raise BridgeError(ErrorCode.OPTION, message)
