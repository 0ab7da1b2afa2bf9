"""The peers: one file each, with `PEER` (its distribution) and `works()`, which imports it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final, NamedTuple

from ..work import Work

FILES: Final = (
    "orjson_alone",
    "openai_harmony",
    "transformers",
    "minijinja",
    "llm_rosetta",
    "llm_babel",
    "litellm",
    "langchain_core",
    "mistral_common",
)


class Peer(NamedTuple):
    """One peer, as far as it is there.

    Attributes:
        name: its distribution.
        version: the installed version; None where it is not installed.
        works: what is measured of it.
        missing: why it cannot be measured; "" where it can.
        load: gives its works anew, in another process.
    """

    name: str
    version: str | None
    works: tuple[Work, ...] = ()
    missing: str = ""
    load: Callable[[], tuple[Work, ...]] = tuple


def load() -> list[Peer]:
    """All peers, each with its works or with why there are none."""
    return [load_one(import_module(f".{name}", __name__)) for name in FILES]


def load_one(module: Any) -> Peer:
    """A peer's file as a peer."""
    try:
        return Peer(module.PEER, version(module.PEER), module.works(), load=module.works)
    except ImportError:
        return Peer(module.PEER, None, missing="not installed")
    except Exception as error:  # whatever another's library does, the others are measured
        return Peer(module.PEER, version(module.PEER), missing=f"cannot be measured: {type(error).__name__}: {error}")
