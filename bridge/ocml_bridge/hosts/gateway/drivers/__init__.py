"""Drivers: how each kind of engine is asked, chosen by asking it."""

from __future__ import annotations

from typing import Any, Final

from .completions import Completions
from .driver import Ask, Call, Completion, Driver, DriverName, MakeDriver, Terms, models_of, unfit
from .llama_cpp import LlamaCpp
from .vllm import Vllm

DRIVERS: Final[dict[str, MakeDriver]] = {
    "vllm": Vllm.make,
    "llama.cpp": LlamaCpp.make,
    "completions": Completions.make,
}
"""Name → what makes the driver."""
OWNERS: Final = {"vllm": "vllm", "llamacpp": "llama.cpp"}
"""Whom an engine's list of models names as their owner → the driver."""


async def connect(name: str, terms: Terms, ask: Ask) -> Driver:
    """Ask an engine what it is, and make its driver.

    Args:
        name: of the driver; `auto` to choose by the engine's list of models.
        terms: what is needed.
        ask: asks the engine.

    Raises:
        ApiError: where it cannot be asked.
        BridgeError: OCB-OPTION where it cannot do what is needed.
    """
    listing: Any = await ask(Call("/v1/models"))
    if name == "auto":
        owners = {OWNERS.get(str(model.get("owned_by")), "completions") for model in models_of(listing)}
        name = owners.pop() if len(owners) == 1 else "completions"
    return await DRIVERS[name](terms, listing, ask)


__all__ = ["DRIVERS", "Ask", "Call", "Completion", "Driver", "DriverName", "Terms", "connect", "unfit"]
