"""How many changes of the product the tests notice, package by package: mutmut (`pip install -e '.[mutation]'`).

    python tests/mutants.py                 # every package; hours
    python tests/mutants.py model report    # those
    python tests/mutants.py --jobs 2 --show 20 adapters/chatml

A copy of the checkout is changed, in `.mutants/`, one expression at a time; what was found out stays there, and the
next run of the same package goes on with what is left. The table counts what was noticed; `--show` shows what was not.
mutation_check.py is the other half: ways to break the product that were thought of, and that must be noticed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / ".mutants"
BRIDGE, ADAPTERS = "src/ocml_bridge", "src/ocml_adapters"
EVERYWHERE = ("test_golden.py", "test_laws.py", "test_unsaid.py", "test_hostile_input.py")
"""What every grammar is held to."""


class Package(NamedTuple):
    """A part of the product, and the tests that are to notice what changes in it.

    Attributes:
        files: patterns of its files, in the copy.
        tests: files and folders of tests.
    """

    files: tuple[str, ...]
    tests: tuple[str, ...]


def packages() -> dict[str, Package]:
    """All packages by name: those of the bridge, then one for each folder of adapters."""
    found = {
        "model": Package(
            (f"{BRIDGE}/model/*",),
            (
                *("adapters/test_canonical.py", "adapters/test_openai_settings.py", "adapters/test_ocm_2_2_header.py"),
                *("test_compatibility.py", "test_copies.py", "test_wrong_arguments.py", "test_schema_changes.py"),
            ),
        ),
        "report": Package(
            tuple(f"{BRIDGE}/{name}.py" for name in ("diff", "naming", "policy", "report", "substance")),
            (
                "test_report.py",
                "test_diff.py",
                "test_wording.py",
                "test_substance.py",
                "test_policy.py",
                "test_unsaid.py",
            ),
        ),
        "sidecar": Package(
            (f"{BRIDGE}/sidecar.py", f"{BRIDGE}/transform.py"), ("test_sidecar.py", "test_transform.py")
        ),
        "pairing": Package(
            tuple(f"{BRIDGE}/{name}.py" for name in ("answers", "arrange", "pairing", "turns")),
            ("test_pairing.py", "test_law_of_pairing.py", "test_calls.py"),
        ),
        "schema_changes": Package((f"{BRIDGE}/schema_changes.py",), ("test_schema_changes.py",)),
        "engine": Package(
            (f"{BRIDGE}/engine/*", f"{BRIDGE}/units/*", f"{BRIDGE}/plans/*"),
            ("test_plans.py", "test_spans.py", "test_envelopes.py", "test_ownership.py", *EVERYWHERE),
        ),
        "text": Package((f"{BRIDGE}/text/*",), ("text", "test_injection.py", "test_golden.py")),
        "stream": Package((f"{BRIDGE}/stream/*",), ("stream",)),
        "bulk": Package((f"{BRIDGE}/bulk/*",), ("bulk",)),
    }
    for folder in sorted((ROOT / "adapters" / "ocml_adapters").iterdir()):
        if folder.is_dir() and folder.name != "__pycache__":
            own = sorted({path.name for path in (ROOT / "tests" / "adapters").glob(f"test_{folder.name}*.py")})
            tests = tuple(f"adapters/{name}" for name in own)
            found[f"adapters/{folder.name}"] = Package((f"{ADAPTERS}/{folder.name}/*",), (*tests, *EVERYWHERE))
    return found


IMPOSSIBLE = (
    "tests/test_report.py::test_where_nothing_is_refused_no_sentence_is_made_until_somebody_looks",
    "tests/test_sidecar.py::test_time_is_linear",
)
"""Tests that replace a function by its name, or measure time: neither is what it was in a copy that is watched."""


def copy(package: Package) -> None:
    """Lay the checkout out as mutmut wants it: all packages under `src`."""
    WORK.mkdir(exist_ok=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    for source, target in (
        *(
            ("bridge/ocml_bridge", BRIDGE),
            ("bridge/ocml_convert", "src/ocml_convert"),
            ("adapters/ocml_adapters", ADAPTERS),
        ),
        *((name, name) for name in ("tests", "golden", "docs", "changes")),
    ):
        shutil.rmtree(WORK / target, ignore_errors=True)
        shutil.copytree(ROOT / source, WORK / target, ignore=ignored)
    shutil.copy(ROOT / "README.md", WORK)
    chosen = {
        "source_paths": ["src"],
        "only_mutate": list(package.files),
        "also_copy": ["golden", "docs", "changes", "README.md"],
        "pytest_add_cli_args": ["--hypothesis-profile=few", *(f"--deselect={name}" for name in IMPOSSIBLE)],
        "pytest_add_cli_args_test_selection": [f"tests/{name}" for name in package.tests],
        "timeout_constant": 10.0,
    }
    options = {
        "pythonpath": ["src", "tests"],
        "addopts": ["--import-mode=importlib", "-p", "no:cacheprovider", "-m", "not long and not perf"],
        "markers": ["long: at length", "perf: figures"],
    }
    tables = (("tool.pytest.ini_options", options), ("tool.mutmut", chosen))
    lines = [
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
        for name, table in tables
    ]
    (WORK / "pyproject.toml").write_text("\n".join(lines))


def run(jobs: int, most: float | None) -> None:
    """Let mutmut work, for so many seconds at most."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    line = (sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs))
    with (WORK / "log.txt").open("w") as log:
        started = subprocess.Popen(line, cwd=WORK, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            started.wait(most)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)  # its children, too
            started.wait()


def told(*words: str) -> str:
    """What a command of mutmut says."""
    return subprocess.run(
        (sys.executable, "-m", "mutmut", *words), cwd=WORK, capture_output=True, text=True, check=False
    ).stdout


def main() -> int:
    known = packages()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "packages", nargs="*", metavar="PACKAGE", help=f"of {', '.join(known)}; all where none is named"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument("--seconds", type=float, help="how long each package may take; the next run goes on")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="show N changes that were not noticed")
    given = parser.parse_args()
    print("| package | changes | tried | noticed | not noticed | share |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    survivors: list[str] = []
    for name in given.packages or known:
        if _is_other(repr((name, known[name]))):
            shutil.rmtree(WORK / "mutants", ignore_errors=True)
        copy(known[name])
        run(given.jobs, given.seconds)
        told("export-cicd-stats")
        counts = json.loads((WORK / "mutants" / "mutmut-cicd-stats.json").read_bytes())
        noticed = counts["killed"] + counts["timeout"] + counts["segfault"]
        missed = counts["survived"] + counts["no_tests"] + counts["suspicious"]
        share = f"{noticed / (noticed + missed):.1%}" if noticed + missed else ""
        print(
            f"| `{name}` | {counts['total']:,} | {noticed + missed:,} | {noticed:,} | {missed:,} | {share} |",
            flush=True,
        )
        survivors += re.findall(r"^\s+(\S+): (?:survived|no tests)$", told("results"), re.MULTILINE)
    for each in survivors[: given.show]:
        print(f"\n{told('show', each)}")
    return 0


def _is_other(package: str) -> bool:
    """Whether the last run was of another package, or of other tests; what it found out then says nothing here."""
    mark = WORK / "package"
    before = mark.read_text("utf-8") if mark.exists() else None
    WORK.mkdir(exist_ok=True)
    mark.write_text(package, "utf-8")
    return before != package


if __name__ == "__main__":
    sys.exit(main())
