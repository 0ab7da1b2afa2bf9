"""A simulated disk that loses unsynced data: the possible contents of a folder after a loss of power at every step.

`fsync` of a file keeps its contents, `fsync` of a folder keeps its names; nothing else is kept. After a
loss of power the disk may also contain more, in any order: names without contents, contents without names, some
removals and not others.
"""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

STEPS = ("fsync", "replace", "unlink", "mkdir", "rmdir")
"""The functions of `os` before which the power may fail."""

Tree = dict[str, bytes | None]
"""Files by their relative paths; None for a folder."""


class Moment(NamedTuple):
    """The state of the disk at one moment: the names in each folder and the contents of each file, kept and present."""

    kept_names: dict[int, dict[str, int]]
    names: dict[int, dict[str, int]]
    kept: dict[int, bytes]
    contents: dict[int, bytes]
    root: int

    def trees(self, chance: random.Random | None = None) -> Iterator[Tree]:
        """The possible states afterwards: what was kept, names alone, contents alone, and random mixtures."""
        for names, contents in (
            (self.kept_names, self.kept),
            (self.names, self.kept),
            (self.kept_names, {**self.kept, **self.contents}),
        ):
            yield self._tree(names, contents)
        if chance is not None:
            yield self._tree(self._some_names(chance), self._some_contents(chance))

    def _some_names(self, chance: random.Random) -> dict[int, dict[str, int]]:
        """Some of the changes; a rename is one change, as in the journal of a file system."""
        chosen: dict[int, bool] = {}
        mixed: dict[int, dict[str, int]] = {folder: {} for folder in {**self.kept_names, **self.names}}
        groups = self._changed_together()
        for folder, found in mixed.items():
            old, new = self.kept_names.get(folder, {}), self.names.get(folder, {})
            for name in sorted({*old, *new}):
                group = groups[folder, name]
                if group not in chosen:
                    chosen[group] = chance.random() < 0.5
                file = (new if chosen[group] else old).get(name)
                if file is not None:
                    found[name] = file
        return mixed

    def _changed_together(self) -> dict[tuple[int, str], int]:
        """A number for each name, the same for names that one file went from and to."""
        groups: dict[tuple[int, str], int] = {}
        of_file: dict[int, int] = {}
        for tree in (self.kept_names, self.names):
            for folder, found in tree.items():
                for name, file in found.items():
                    one, other = groups.get((folder, name), file), of_file.get(file, file)
                    groups[folder, name] = of_file[file] = one
                    groups = {key: one if group == other else group for key, group in groups.items()}
                    of_file = {key: one if group == other else group for key, group in of_file.items()}
        return groups

    def _some_contents(self, chance: random.Random) -> dict[int, bytes]:
        mixed = dict(self.kept)
        for file, data in self.contents.items():
            before = self.kept.get(file, b"")
            # What is appended comes to the disk piece by piece.
            torn = data[: chance.randint(len(before), len(data))] if data.startswith(before) else data
            mixed[file] = chance.choice((before, torn, data))
        return mixed

    def _tree(self, names: dict[int, dict[str, int]], contents: dict[int, bytes]) -> Tree:
        tree: Tree = {}
        todo = [("", self.root)]
        while todo:
            path, folder = todo.pop()
            for name, file in names.get(folder, {}).items():
                if file in self._folders:
                    tree[path + name] = None
                    todo.append((f"{path}{name}/", file))
                else:
                    tree[path + name] = contents.get(file, b"")
        return tree

    @property
    def _folders(self) -> set[int]:
        return {*self.names, *self.kept_names}


class Disk:
    """Records the changes that a run makes in a folder.

    Attributes:
        moments: what may be on the disk in front of each step.
    """

    def __init__(self, folder: Path, aside: Path) -> None:
        """Begin with an empty folder.

        Args:
            folder: the folder; it is made.
            aside: a folder on the same disk for links to its files, so that no number is given to two of them.
        """
        folder.mkdir()
        aside.mkdir()
        self._folder, self._aside = folder, aside
        self._kept_names: dict[int, dict[str, int]] = {}
        self._kept: dict[int, bytes] = {}
        self.moments: list[Moment] = []

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        """Record the folder before each step of this process."""
        for name in STEPS:
            patch.setattr(os, name, self._watched(name, getattr(os, name)))

    def _watched(self, name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            self.moments.append(self._moment())
            if name == "fsync":
                self._keep(args[0])
                return None  # there is no need to wait for the disk that is there
            return step(*args, **options)

        return call

    def _moment(self) -> Moment:
        names: dict[int, dict[str, int]] = {}
        contents: dict[int, bytes] = {}
        todo = [self._folder] if self._folder.exists() else []
        while todo:
            folder = todo.pop()
            found = names[folder.stat().st_ino] = {}
            for entry in os.scandir(folder):
                found[entry.name] = entry.inode()
                if entry.is_dir():
                    todo.append(folder / entry.name)
                else:
                    contents[entry.inode()] = Path(entry.path).read_bytes()
                    link = self._aside / str(entry.inode())
                    if not link.exists():
                        os.link(entry.path, link)
        kept_names = {folder: dict(each) for folder, each in self._kept_names.items()}
        return Moment(kept_names, names, dict(self._kept), contents, self._folder.stat().st_ino)

    def _keep(self, descriptor: int) -> None:
        about = os.fstat(descriptor)
        now = self.moments[-1]
        if stat.S_ISDIR(about.st_mode):
            self._kept_names[about.st_ino] = dict(now.names.get(about.st_ino, {}))
        elif about.st_ino in now.contents:
            self._kept[about.st_ino] = now.contents[about.st_ino]


def restore(tree: Tree, folder: Path) -> None:
    """Replace a folder by the contents of the disk."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in sorted(tree):
        data = tree[path]
        if data is None:
            (folder / path).mkdir()
        else:
            (folder / path).write_bytes(data)
