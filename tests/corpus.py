"""Where the corpus of real transcripts is: data that is not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared" / "corpus"


def corpus_root() -> Path:
    return Path(os.environ.get("OCML_CORPUS") or _BESIDE_THE_CHECKOUT)


def corpus_path(*parts: str) -> Path:
    """A file or folder of the corpus; skips the test where there is none."""
    path = corpus_root().joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no corpus: {path} does not exist (OCML_CORPUS names its folder)")
    return path
