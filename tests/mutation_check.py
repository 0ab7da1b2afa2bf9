"""Break the product on purpose, one way at a time, and see that the tests notice.

    python tests/mutation_check.py          # all, a few minutes
    python tests/mutation_check.py escape   # those whose name has the word

Each mutation of `mutations.toml` replaces one text in one file of a copy of the checkout. One that survives, or whose
text is not found any more, is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TESTS = (
    "test_golden.py",
    "test_jsontext.py",
    "test_diff.py",
    "test_pairing.py",
    "test_calls.py",
    "test_plans.py",
    "test_calls_in_plans.py",
    "test_conversation_plans.py",
    "test_spans.py",
    "test_spans_of_profiles.py",
    "bulk/test_masks.py",
    "text",
    "test_sidecar.py",
    "test_capabilities.py",
    "test_injection.py",
    "test_law_of_substance.py",
    "test_substance.py",
    "test_policy.py",
    "test_laws.py",
    "test_ownership.py",
    "test_empty_fields.py",
    "test_hostile_input.py",
    "adapters",
    "stream",
)


class Mutation(NamedTuple):
    """One way to break the product."""

    name: str
    file: str
    text: str
    replacement: str


def mutations() -> list[Mutation]:
    """The list, from `mutations.toml`."""
    data = tomllib.loads((ROOT / "tests" / "mutations.toml").read_text("utf-8"))
    return [Mutation(**entry) for entry in data["mutation"]]


def survives(mutation: Mutation, copy: Path) -> str:
    """Run the tests on the mutated copy; why it failed to be noticed, or nothing."""
    file = copy / mutation.file
    original = file.read_text()
    if mutation.text not in original:
        return "its text is not in the file any more"
    file.write_text(original.replace(mutation.text, mutation.replacement, 1))
    try:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            *(f"tests/{test}" for test in TESTS),
        ]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False)
        return "" if done.returncode == 1 else f"pytest ended with {done.returncode}"
    finally:
        file.write_text(original)


def main(words: list[str]) -> int:
    """Run the mutations and print one line each; the exit status is 0 if all were noticed."""
    chosen = [mutation for mutation in mutations() if all(word in mutation.name for word in words)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        ignore = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, copy, ignore=ignore)
        for mutation in chosen:
            begun = time.monotonic()
            why = survives(mutation, copy)
            failed += bool(why)
            print(
                f"{'SURVIVED' if why else 'noticed '} {time.monotonic() - begun:6.1f} s  {mutation.name}  {why}",
                flush=True,
            )
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
