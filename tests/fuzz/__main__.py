"""Fuzz the targets of `tests/fuzz/targets.py` by Atheris (`pip install -e '.[fuzz]'`):

    python tests/fuzz                       # every target for a minute
    python tests/fuzz --seconds 10 reader   # those whose name has the word
    python tests/fuzz --again FILE TARGET   # one input once more, such as a find

What was found to be worth keeping is kept in `--corpus` (.fuzz/), so that the next run goes on where this one ended. A
find is a file in `.fuzz/finds/TARGET/`: what fails becomes a golden case, or a test, and is mended.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("bridge", "adapters", "tests")]
COVERED = ["ocml_bridge", "ocml_adapters"]
"""What is guided by; the other packages are not ours."""
LONGEST = 4096


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description=__doc__, formatter_class=_Plain)
    parser.add_argument("words", nargs="*", help="targets whose names have one of these words; all where none is named")
    parser.add_argument("--seconds", type=int, default=60, help="how long each target is fuzzed (default: 60)")
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
        return _all(names, given.corpus, given.seconds)


class _Plain(argparse.RawDescriptionHelpFormatter):
    pass


def _give_vocabulary(folder: Path) -> None:
    from internlm2_vocabulary import VARIABLE, write_model

    os.environ[VARIABLE] = os.fspath(write_model(folder / "tokenizer.model"))


def _targets() -> Any:
    from fuzz.targets import table

    return table()


def _all(names: list[str], corpus: Path, seconds: int) -> int:
    """Fuzz targets one by one, each in a process of its own; the table of what came of it."""
    print("| target | inputs | edges | kept | finds |\n| --- | ---: | ---: | ---: | ---: |", flush=True)
    finds = 0
    for name in names:
        line = (sys.executable, __file__, "--one", "--seconds", str(seconds), "--corpus", str(corpus), name)
        done = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
        statuses = re.findall(r"^#(\d+)\s.*?cov: (\d+).*?corp: (\d+)", done.stderr, re.MULTILINE)
        inputs, edges, kept = statuses[-1] if statuses else ("0", "0", "0")
        found = len(list((corpus / "finds" / name).glob("*")))
        failed = done.returncode != 0 or found
        finds += bool(failed)
        print(f"| `{name}` | {int(inputs):,} | {int(edges):,} | {int(kept):,} | {found or ''} |", flush=True)
        if failed:
            lines = [line for line in done.stderr.splitlines() if not line.startswith("INFO: Instr")]
            print("\n".join(lines)[-3000:], file=sys.stderr, flush=True)
    return 1 if finds else 0


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
        words.add(b"layout:")  # a dictionary without words is refused
        dictionary = corpus / f"{name}.dict"
        dictionary.write_text("".join(f"{_quoted(word)}\n" for word in sorted(words)[:400]))
        options = {
            "max_total_time": seconds,
            "max_len": LONGEST,
            "timeout": 20,
            "rss_limit_mb": 2000,
            "artifact_prefix": f"{finds}/",
            "dict": dictionary,
            "print_final_stats": 1,
        }
        atheris.Setup([name, *(f"-{key}={value}" for key, value in options.items()), str(kept)], target.run)
        atheris.Fuzz()  # ends the process


def _quoted(word: bytes) -> str:
    return (
        '"' + "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word) + '"'
    )


if __name__ == "__main__":
    sys.exit(main())
