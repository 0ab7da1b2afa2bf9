"""Choose the driver for an engine by asking it; a driver defines how one kind of engine is asked."""

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
"""The functions that make drivers, by name."""
OWNERS: Final = {"vllm": "vllm", "llamacpp": "llama.cpp"}
"""The name of the driver for each owner of models in an engine's list."""


async def connect(name: str, terms: Terms, ask: Ask) -> Driver:
    """Ask an engine what it is, and return its driver.

    Args:
        name: the name of the driver; `auto` to choose by the engine's list of models.
        terms: what the gateway needs.
        ask: asks the engine.

    Raises:
        ApiError: if it cannot be asked.
        BridgeError: OCB-OPTION if it cannot do what the gateway needs.
    """
    listing: Any = await ask(Call("/v1/models"))
    if name == "auto":
        owners = {OWNERS.get(str(model.get("owned_by")), "completions") for model in models_of(listing)}
        name = owners.pop() if len(owners) == 1 else "completions"
    return await DRIVERS[name](terms, listing, ask)


__all__ = ["DRIVERS", "Ask", "Call", "Completion", "Driver", "DriverName", "Terms", "connect", "models_of", "unfit"]
