"""How many changes of the product the tests notice, package by package (`pip install -e '.[mutation]'`):

    python tests/mutants                          # a sample of every package
    python tests/mutants --sample 200 units       # more of one; --sample 0 is all of it
    python tests/mutants --show model report      # and what was not noticed
    python tests/mutants --write stream           # write the rows of these packages into the table of docs/testing.md

mutmut lists possible changes; a sample of them is drawn by a seed: the next run of the same files draws the same. The
tests run once in a copy of the checkout, `.mutants/`, while it is noted which lines each of them runs. A mutant is then
tried by tests that run its lines, for a few seconds, in a process of its own; where they do not notice it, by more of
them, and once more in a process that loads the product anew, for what is made once. What is left out makes the share
smaller, never larger. Changes that mean the same are listed in `equivalent.toml`, each with a reason.
mutation_check.py is the other half: ways to break the product that were thought of, and that must be noticed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mutants.table import Table

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".mutants"
PAGE = ROOT / "docs" / "testing.md"
MARKED = re.compile(r"(?<=<!-- generated: mutants -->\n\n).*?(?=\n<!-- end -->)", re.DOTALL)
COPIED = ("bridge", "adapters", "tests", "golden", "docs", "changes", "site", "pyproject.toml", "README.md")
CODE = tuple(str(WORK / folder) for folder in ("bridge", "adapters", "tests"))
OTHER = (
    *("hosts", "perf", "fuzz", "playground", "test_types_of_examples.py", "test_fuzz.py", "test_packaging.py"),
    *("test_architecture.py", "test_docs.py", "test_site.py", "test_readme.py", "test_mutations.py"),
)
"""Tests of the text of the product, and those that start other programs."""
SLOW = ("laws", "law_of", "testing_kit", "drawn", "hostile", "growth")
"""Words in the names of tests that take long: what takes seconds would be left out in any case."""
IMPOSSIBLE = ("test_sidecar.py::test_time_is_linear", "test_wording.py::test_sentences_are_plain")
"""Tests that measure time, and those that read the text of the product."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python tests/mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="one of the table; all where none is named")
    parser.add_argument("--sample", type=int, default=50, help="how many of each package are tried (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: 1)")
    parser.add_argument("--show", action="store_true", help="show what was not noticed")
    parser.add_argument("--write", action="store_true", help="write the rows into the table of docs/testing.md")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="which tests are to notice them (default: all)")
    parser.add_argument("--again", action="store_true", help="note again which lines each test runs")
    given = parser.parse_args()
    _copy(given.again)
    os.environ["PYTHONPATH"] = os.pathsep.join(CODE)  # of the processes that tests start
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ.setdefault("OCML_CORPUS", str(ROOT.parent / "shared" / "corpus"))  # which is beside the checkout
    sys.path[:0] = CODE
    os.chdir(WORK)
    table = _try(given.packages, given.tests, given.sample, given.seed, given.show)
    if given.write:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(MARKED.sub(lambda earlier: table.renewed(earlier[0]), page), "utf-8")
    return 0


def _copy(again: bool) -> None:
    """Copy the checkout; what is known of its tests is kept, unless it is to be found out again."""
    WORK.mkdir(exist_ok=True)
    for name in COPIED:
        target = WORK / name
        if (ROOT / name).is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"), copy_function=os.link)
        else:
            shutil.copy(ROOT / name, target)
    if again:
        (WORK / "map.json").unlink(missing_ok=True)


def _try(wanted: list[str], tests: list[str], sample: int, seed: int, show: bool) -> Table:
    import pytest

    from mutants.packages import packages
    from mutants.table import Table
    from mutants.trying import Trial

    known = packages()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.exit(f"there is no package {unknown[0]}; there are {', '.join(known)}")
    table = Table(WORK, known, wanted or known, sample=sample, seed=seed, show=show)
    line = [*tests, "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile=no-shrinking"]
    line += ["-k", f"not ({' or '.join(SLOW)})"]
    line += [f"--ignore=tests/{name}" for name in OTHER] + [f"--deselect=tests/{name}" for name in IMPOSSIBLE]
    pytest.main(line, plugins=[Trial(WORK, table.mutants(), table.add)])
    return table


if __name__ == "__main__":
    sys.exit(main())
