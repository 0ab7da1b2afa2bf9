"""Mutants are tried inside of one run of pytest: tests are collected once, and each mutant has a process of its own."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from .drawing import Mutant
from .patching import Loaded, forget, write

SECONDS = 10.0
"""How long the tests of one mutant may take, by what they took before."""
LONGER = 60.0
"""How long all of them may take, where these do not notice it."""
ANEW = 6.0
"""How long tests may take that try it once more, where it is loaded anew; so long may those of its file, too."""
NO_TESTS = pytest.ExitCode.NO_TESTS_COLLECTED << 8
"""The status of a process that ran no tests."""
SLOW = 2.5
"""A test that takes longer is left out."""
OF_A_FILE = 80
"""How many tests of a file are remembered for a line."""
MEMORY = 6 << 30


class Found(NamedTuple):
    """What came of a mutant.

    Attributes:
        mutant: what was changed.
        noticed: whether a test failed.
        by: the test that failed, or that there is none that runs the lines.
        tests: how many tests were to be run.
    """

    mutant: Mutant
    noticed: bool
    by: str
    tests: int


class Map:
    """Which test runs which lines, and how long it takes.

    It stays true while files change: a line is found again, and one that is new has the tests of those around it. A
    test that is new or has changed is noted again.

    Args:
        root: the copy of the checkout; the map is kept there.
    """

    def __init__(self, root: Path) -> None:
        self._root, self._path = root, root / "map.json"
        value: Any = json.loads(self._path.read_text()) if self._path.exists() else {}
        self.tried: list[str] = value.get("tried", [])
        self.sources: dict[str, str] = value.get("sources", {})
        self.seconds: dict[str, float] = value.get("seconds", {})
        texts: dict[str, str] = value.get("texts", {})
        lines: dict[str, dict[str, list[int]]] = value.get("lines", {})
        self._lines = {
            file: of_lines if (now := self._text(file)) == texts[file] else _found_again(of_lines, texts[file], now)
            for file, of_lines in lines.items()
        }

    def _text(self, file: str) -> str:
        path = self._root / file
        return path.read_text("utf-8") if path.exists() else ""

    def is_new(self, item: pytest.Item) -> bool:
        """Return whether a test was not noted yet, or has changed since."""
        return item.nodeid not in self.sources or self.sources[item.nodeid] != _source_of(item)

    def add(self, items: list[pytest.Item], seconds: dict[str, float], lines: dict[str, dict[int, list[str]]]) -> None:
        """Note more tests, and write all down."""
        tried = [item.nodeid for item in items]
        numbers = {name: number for number, name in enumerate([*self.tried, *tried])}
        self.tried += tried
        self.sources |= {item.nodeid: _source_of(item) for item in items}
        self.seconds |= seconds
        for file, of_lines in lines.items():
            known = self._lines.setdefault(file, {})
            for line, tests in of_lines.items():
                known.setdefault(str(line), []).extend(numbers[test] for test in tests)
        texts = {file: self._text(file) for file in self._lines}
        value = {"tried": self.tried, "sources": self.sources, "seconds": self.seconds}
        value |= {"texts": texts, "lines": self._lines}
        self._path.write_text(json.dumps(value))

    def tests(self, mutant: Mutant, most: float = SECONDS) -> list[str]:
        """The tests of a mutant, as long as there is time: those of its name, or of its folder's, then others."""
        lines = self._lines.get(mutant.path, {})
        found = {self.tried[test] for line in range(mutant.first, mutant.last + 1) for test in lines.get(str(line), ())}
        return self._chosen(mutant, found, most)

    def _chosen(self, mutant: Mutant, found: set[str], most: float) -> list[str]:
        names = Path(mutant.path).with_suffix("").parts[2:]
        own = {test for test in found if any(name in test.partition("::")[0] for name in names)}
        own |= {test for test in found if names[0] in re.sub("[-.]", "_", test.partition("[")[2])}
        chosen: list[str] = []
        for test in (*self._in_turn(own), *self._in_turn(found - own)):
            most -= self.seconds[test] + 0.002
            if most < 0 and chosen:
                break
            chosen.append(test)
        files: dict[str, list[str]] = {}
        for test in chosen:
            files.setdefault(test.partition("::")[0], []).append(test)
        by_time = sorted(files.values(), key=lambda tests: sum(self.seconds[test] for test in tests))
        return [test for tests in by_time for test in tests]

    def tests_of_file(self, mutant: Mutant, most: float) -> list[str]:
        """The tests of all lines of a mutant's file, as long as there is time.

        If these are few, as for a file that is run when it is loaded, those of all files in its folder too.
        """
        folder = mutant.path.rpartition("/")[0]
        found = self._of_file(mutant.path)
        if sum(self.seconds[test] for test in found) < most:
            found = found.union(*(self._of_file(path) for path in self._lines if path.rpartition("/")[0] == folder))
        return self._chosen(mutant, found, most)

    def _of_file(self, path: str) -> set[str]:
        return {self.tried[test] for tests in self._lines.get(path, {}).values() for test in tests}

    def _in_turn(self, tests: set[str]) -> list[str]:
        """Of each file of tests the fastest, then of each file the next."""
        turns: Counter[str] = Counter()
        order: list[tuple[int, str, str]] = []
        for test in sorted(tests, key=lambda each: (self.seconds[each], each)):
            file = test.partition("::")[0]
            order.append((turns[file], file, test))
            turns[file] += 1
        return [test for _, _, test in sorted(order)]


def _source_of(item: pytest.Item) -> str:
    """Return a digest of the text of a test's function, without what it calls."""
    function = getattr(item, "function", None)
    return "" if function is None else _digest(function)


@cache
def _digest(function: Callable[..., object]) -> str:
    return hashlib.sha256(inspect.getsource(function).encode()).hexdigest()[:16]


def _found_again(lines: dict[str, list[int]], then: str, now: str) -> dict[str, list[int]]:
    """The tests of the lines of a file that has changed since."""
    found: dict[str, list[int]] = {}
    for tag, first, last, start, stop in SequenceMatcher(
        None, then.splitlines(), now.splitlines(), autojunk=False
    ).get_opcodes():
        if tag == "equal":
            moved = ((str(start + at + 1), lines.get(str(first + at + 1))) for at in range(last - first))
            found |= {line: tests for line, tests in moved if tests}
        else:
            around = {test for line in range(first, last + 2) for test in lines.get(str(line), ())}
            found |= {str(line + 1): sorted(around) for line in range(start, stop)}
    return found


class Trial:
    """A plugin of pytest that tries mutants in place of running the tests.

    Args:
        root: the copy of the checkout that the tests run in.
        mutants: what to try.
        report: called with the result of each.
    """

    def __init__(self, root: Path, mutants: Iterator[Mutant], report: Callable[[Found], None]) -> None:
        self._root, self._mutants, self._report = root, mutants, report

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Make the map where there is none, then try all mutants."""
        items = {item.nodeid: item for item in session.items}
        known = Map(self._root)
        new = [item for item in session.items if known.is_new(item)]
        if new:
            _apart(lambda: _note(self._root, new, known), 3600, 7200, quiet=False)
            known = Map(self._root)
        loaded = Loaded()
        for mutant in self._mutants:
            chosen = [name for name in known.tests(mutant) if name in items]
            noticed, by = self._try(loaded, mutant, chosen, items, known) if chosen else (False, "no test runs it")
            if chosen and not noticed:
                others = [name for name in known.tests(mutant, LONGER) if name in items and name not in chosen]
                noticed, by = self._try(loaded, mutant, others, items, known)
                chosen += others
            if not noticed:
                noticed = self._try_anew(mutant, known)
            self._report(Found(mutant, noticed, by, len(chosen)))
        return True

    def _try(
        self, loaded: Loaded, mutant: Mutant, names: list[str], every: dict[str, pytest.Item], known: Map
    ) -> tuple[bool, str]:
        items, seconds = [every[name] for name in names], sum(known.seconds[name] for name in names)
        note = self._root / "failed.txt"
        note.write_text("")

        def run() -> int:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            loaded.patch(self._root, mutant)
            for at, item in enumerate(items):
                following = items[at + 1] if at + 1 < len(items) else None
                if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                    note.write_text(item.nodeid)
                    return 1
            return 0

        status = self._with(mutant, lambda: _apart(run, 10 + 4 * seconds, 60 + 30 * seconds))
        return status != 0, note.read_text() or ("" if status == 0 else "the process ended")

    def _try_anew(self, mutant: Mutant, known: Map) -> bool:
        """Try a mutant in a process that loads it, for what is made once: whether it is noticed there."""
        names = [*known.tests(mutant, ANEW), *known.tests_of_file(mutant, ANEW)]
        if not names:
            return False
        note = self._root / "chosen.json"
        note.write_text(json.dumps(names), "utf-8")

        def run() -> int:
            os.execv(sys.executable, [sys.executable, "-m", "mutants.anew", os.fspath(note)])

        return self._with(mutant, lambda: _apart(run, 60, 240)) not in (0, NO_TESTS)

    def _with(self, mutant: Mutant, run: Callable[[], int]) -> int:
        """Do something while a file has its changed text; a status."""
        write(self._root, mutant.path, mutant.after)
        try:
            return run()
        finally:
            write(self._root, mutant.path, mutant.before)


def _apart(run: Callable[[], int], seconds: float, wall: float, *, quiet: bool = True) -> int:
    """Do something in a process of its own; its status, which is not 0 where it takes too long."""
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        if quiet:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        status = 3
        with suppress(BaseException):
            status = run()
        os._exit(status)
    end = time.monotonic() + wall
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
            break
        time.sleep(0.01)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # what it had started
    return status


def _note(root: Path, items: list[pytest.Item], known: Map) -> int:
    """Run tests once, and note what each of them runs. One that fails, or takes long, is left out."""
    import coverage

    watched = coverage.Coverage(data_file=None, include=[f"{root}/bridge/*", f"{root}/adapters/*"], config_file=False)
    seconds: dict[str, float] = {}
    watched.start()
    for at, item in enumerate(items):
        forget()
        watched.switch_context(item.nodeid)
        before = time.process_time()
        reports = runtestprotocol(item, log=False, nextitem=items[at + 1] if at + 1 < len(items) else None)
        taken = time.process_time() - before
        if all(report.passed for report in reports) and taken < SLOW:
            seconds[item.nodeid] = taken
        if at % 500 == 0:
            print(f"{at} of {len(items)} tests", file=sys.stderr, flush=True)
    watched.stop()
    data = watched.get_data()
    lines = {
        os.path.relpath(file, root): {
            line: [*_fastest(tests, seconds)] for line, tests in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    known.add(items, seconds, lines)
    return 0


def _fastest(tests: list[str], seconds: dict[str, float]) -> Iterator[str]:
    """Some of the tests that run a line: the fastest ones of each file."""
    of_file: Counter[str] = Counter()
    for test in sorted((each for each in tests if each in seconds), key=seconds.__getitem__):
        file = test.partition("::")[0]
        of_file[file] += 1
        if of_file[file] <= OF_A_FILE:
            yield test
