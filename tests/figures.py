"""Count what the table in docs/testing.md counts.

python tests/figures.py            # show it
python tests/figures.py --write    # write it into the page
"""

from __future__ import annotations

import re
import subprocess
import sys

from fuzz.targets import table
from mutation_check import mutations
from ocml_bridge import formats
from ocml_bridge.testing.laws import LAWS
from sources import ADAPTERS, BRIDGE, ROOT

PAGE = ROOT / "docs" / "testing.md"
MARKED = re.compile(r"(<!-- generated: figures -->\n).*?(<!-- end -->)", re.DOTALL)


def collected(mark: str) -> int:
    """How many tests there are with a mark."""
    line = (sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", mark, "-p", "no:cacheprovider")
    output = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.search(r"^(\d+)(?:/\d+)? tests", output, re.MULTILINE)
    return int(found[1]) if found else 0


def lines(*patterns: str) -> int:
    """How many lines files have."""
    return sum(path.read_bytes().count(b"\n") for pattern in patterns for path in ROOT.glob(pattern))


def figures() -> str:
    """The table."""
    code = lines(f"{BRIDGE.relative_to(ROOT)}/**/*.py", f"{ADAPTERS.relative_to(ROOT)}/**/*.py")
    count = len(formats())
    rows: list[tuple[str, str]] = [
        ("tests in a normal run", f"{collected('not long and not perf'):,}"),
        ("additional tests in a long run", f"{collected('long'):,}"),
        ("lines of the product, lines of tests", f"{code:,}, {lines('tests/**/*.py'):,}"),
        ("formats, ordered pairs of formats", f"{count}, {count * (count - 1)}"),
        ("laws of a conversion", f"{len(LAWS)}"),
        ("golden cases, files in them", f"{len([*ROOT.glob('golden/*/*/case.yaml')]):,}, {_golden_files():,}"),
        ("fuzzing targets", f"{len(table())}"),
        ("bugs of the list that the tests must notice", f"{len(mutations())}"),
    ]
    return "\n| | |\n| --- | ---: |\n" + "".join(f"| {what} | {number} |\n" for what, number in rows) + "\n"


def _golden_files() -> int:
    return sum(len([*case.parent.iterdir()]) for case in ROOT.glob("golden/*/*/case.yaml"))


if __name__ == "__main__":
    made = figures()
    if "--write" in sys.argv[1:]:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(MARKED.sub(lambda found: found[1] + made + found[2], page), "utf-8")
    else:
        print(made)
