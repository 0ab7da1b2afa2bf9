"""Fuzz the targets of `tests/fuzz/targets.py` by Atheris (`pip install -e '.[fuzz]'`):

    python tests/fuzz                       # every target for a minute of the processor's time
    python tests/fuzz --seconds 10 reader   # those whose name has the word
    python tests/fuzz --seconds 113 --write # an hour over all, whose figures are written into docs/testing.md
    python tests/fuzz --again FILE TARGET   # one input once more, such as a find

Inputs that reach new code are kept in `--corpus` (.fuzz/), so that the next run continues where this one ended. A
find is a file in `.fuzz/finds/TARGET/`: what fails becomes a golden case, or a test, and is mended.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("bridge", "adapters", "tests")]

from fuzz.outcomes import HEAD, Outcome, renewed, total  # noqa: E402 - which the path above leads to

COVERED = ["ocml_bridge", "ocml_adapters"]
"""What is guided by; the other packages are not ours."""
LONGEST = 4096
PAGE = ROOT / "docs" / "testing.md"
MARKED = re.compile(r"(?<=<!-- generated: fuzzing -->\n\n).*?(?=\n<!-- end -->)", re.DOTALL)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description=__doc__, formatter_class=_Plain)
    parser.add_argument("words", nargs="*", help="targets whose names have one of these words; all where none is named")
    parser.add_argument("--seconds", type=int, default=60, help="processor's time for each target (default: 60)")
    parser.add_argument("--write", action="store_true", help="write the rows of these targets into docs/testing.md")
    parser.add_argument("--corpus", type=Path, default=ROOT / ".fuzz", help="what is kept between runs")
    parser.add_argument("--again", type=Path, metavar="FILE", help="run one input through a target")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _give_vocabulary(Path(folder))
        if given.again is not None:
            _targets()[given.words[0]].run(given.again.read_bytes())
            return 0
        if given.one:
            _fuzz(given.words[0], given.corpus, given.seconds)
        names = [name for name in _targets() if not given.words or any(word in name for word in given.words)]
        return _all(names, given.corpus, given.seconds, given.write)


class _Plain(argparse.RawDescriptionHelpFormatter):
    pass


def _give_vocabulary(folder: Path) -> None:
    from internlm2_vocabulary import VARIABLE, write_model

    os.environ[VARIABLE] = os.fspath(write_model(folder / "tokenizer.model"))


def _targets() -> Any:
    from fuzz.targets import table

    return table()


def _all(names: list[str], corpus: Path, seconds: int, written: bool) -> int:
    """Fuzz targets one by one, each in a process of its own; the table of what came of it."""
    print(HEAD, flush=True)
    outcomes: list[Outcome] = []
    for name in names:
        before, known = _time_of_children(), _finds(corpus, name)
        line = (sys.executable, __file__, "--one", "--seconds", str(seconds), "--corpus", str(corpus), name)
        done = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
        statuses = re.findall(r"^#\d+\s.*?cov: (\d+).*?corp: (\d+)", done.stderr, re.MULTILINE)
        started = re.search(r"\sINITED cov: (\d+)", done.stderr)
        ended = re.search(r"^inputs: (\d+)$", done.stderr, re.MULTILINE)
        inputs = int(ended[1]) if ended else 0
        edges, kept = map(int, statuses[-1] if statuses else "00")
        found = len(_finds(corpus, name) - known) or int(done.returncode != 0)
        first = int(started[1]) if started else 0
        outcomes.append(Outcome(name, _time_of_children() - before, inputs, first, edges, kept, found))
        print(outcomes[-1].row(), flush=True)
        if found:
            lines = [line for line in done.stderr.splitlines() if not line.startswith("INFO: Instr")]
            print("\n".join(lines)[-3000:], file=sys.stderr, flush=True)
    print(total([each.row() for each in outcomes]), flush=True)
    if written:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(MARKED.sub(lambda earlier: renewed(earlier[0], outcomes, _targets()), page), "utf-8")
    return int(any(each.finds for each in outcomes))


def _finds(corpus: Path, name: str) -> set[Path]:
    """The files of what was found in a target so far."""
    return set((corpus / "finds" / name).glob("*"))


def _time_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _until(seconds: float, run: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """A target that ends the process when it has had its time, however much of it others had meanwhile."""
    end = process_time() + seconds
    inputs = 0

    def ending(data: bytes) -> None:
        nonlocal inputs
        run(data)
        inputs += 1
        if process_time() >= end:
            print(f"inputs: {inputs}", file=sys.stderr, flush=True)
            os._exit(0)  # libFuzzer takes any other end for a find

    return ending


def _fuzz(name: str, corpus: Path, seconds: int) -> None:
    atheris: Any = importlib.import_module("atheris")  # it has no types
    with atheris.instrument_imports(include=COVERED):
        target = _targets()[name]
        kept, finds = corpus / name, corpus / "finds" / name
        for folder in (kept, finds):
            folder.mkdir(parents=True, exist_ok=True)
        words: set[bytes] = set()
        for seed in target.seeds():
            words.update(re.findall(rb'<\|\w+\|>|"\w+"', seed))
            if len(seed) <= LONGEST:
                (kept / hashlib.sha256(seed).hexdigest()[:20]).write_bytes(seed)
        for seed in islice(target.seeds(), 2):
            target.run(seed)  # what is imported when it is needed is imported now, which takes long
        words.add(b"layout:")  # a dictionary without words is refused
        dictionary = corpus / f"{name}.dict"
        dictionary.write_text("".join(f"{_quoted(word)}\n" for word in sorted(words)[:400]))
        options = {
            "max_len": LONGEST,
            **dict.fromkeys(("timeout", "report_slow_units"), 60),  # by the clock: others may have the processor
            "rss_limit_mb": 2000,
            "artifact_prefix": f"{finds}/",
            "dict": dictionary,
            "print_final_stats": 1,
        }
        atheris.Setup(
            [name, *(f"-{key}={value}" for key, value in options.items()), str(kept)], _until(seconds, target.run)
        )
        atheris.Fuzz()  # ends the process


def _quoted(word: bytes) -> str:
    return (
        '"' + "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word) + '"'
    )


if __name__ == "__main__":
    sys.exit(main())
