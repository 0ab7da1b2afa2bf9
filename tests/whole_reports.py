"""Losses and findings are looked at as they are made, whatever a test asks: each has a code, a place and a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

import pytest

from ocml_bridge.loss import FindingCode, Log, LossCode, Severity
from ocml_bridge.stream.decoder import LiveLog

_PLACE: Final = re.compile(r"|/(?!messages/).*|/messages/\d+(?:/.*)?", re.DOTALL)
"""A place in a document; messages are counted."""


@contextmanager
def looked_at() -> Generator[None]:
    """Meanwhile, a loss or a finding that lacks something is an error where it is made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Log, "lose", _whole(Log.lose, LossCode))
        patch.setattr(Log, "find", _whole(Log.find, FindingCode))
        patch.setattr(LiveLog, "find", _whole(LiveLog.find, FindingCode))
        yield


def _whole(note: Callable[..., None], codes: type[LossCode | FindingCode]) -> Callable[..., None]:
    @wraps(note)
    def noted(log: Log, code: Any, path: Any, detail: Any, *severity: Any, **named: Any) -> None:
        assert type(code) is codes, f"{code!r} is no code"
        assert isinstance(path, str), f"{path!r} is no place"
        assert _PLACE.fullmatch(path), f"{path!r} is no place"
        assert isinstance(detail, str), f"{detail!r} is no sentence"
        assert detail.strip(), "a sentence without a word"
        assert all(isinstance(one, Severity) for one in (*severity, *named.values()))
        note(log, code, path, detail, *severity, **named)

    return noted
