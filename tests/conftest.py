"""Options and profiles of the whole suite."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from counting import forget
from internlm2_vocabulary import VARIABLE, write_model
from sampling import THOROUGH
from whole_reports import looked_at

# Derandomised: a law that fails, fails for everyone, and again.
settings.register_profile(
    "normal", max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)
# What .ci/run adds to the normal run, for tests that draw examples and for those marked `sweep`.
settings.register_profile("thorough", settings.get_profile("normal"), max_examples=THOROUGH)
# For a night: `pytest -n auto --hypothesis-profile=long`.
settings.register_profile("long", settings.get_profile("normal"), max_examples=2000)
# Other documents in each run, for what no run has met yet: `pytest -n auto -m hypothesis --hypothesis-profile=random`.
settings.register_profile(
    "random", settings.get_profile("normal"), max_examples=300, derandomize=False, print_blob=True
)
# For runs that only ask whether a law fails, not on which smallest document, as those of mutants.
settings.register_profile(
    "no-shrinking", settings.get_profile("normal"), max_examples=25, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("normal")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite the golden files; read them before committing")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Tests and modules are there until the end: the cyclic collector need not look at them, now and in each test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    # Whoever starts the tests in the background may have them ignore it, and so would the commands that they interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--accept") and os.environ.get("CI"):
        raise pytest.UsageError("--accept is refused where CI is set: golden files are accepted by a person")
    if not hasattr(config, "workerinput"):  # the workers of a parallel run have it from whoever started them
        _give_vocabulary(config)


@pytest.fixture
def unshrunk() -> Iterator[None]:
    """Whoever only asks whether a law fails need not wait for the smallest document."""
    profile = settings.get_current_profile_name()
    settings.load_profile("no-shrinking")
    yield
    settings.load_profile(profile)


@pytest.fixture(scope="module", autouse=True)
def whole_reports(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever is tested, its losses and findings are whole; where time is measured, nobody looks."""
    with nullcontext() if "perf" in request.path.parts else looked_at():
        yield


@pytest.fixture(scope="module")
def all_plans_learned() -> Iterator[None]:
    """Readers and writers know nothing at first, and learn every plan; after many documents without plans they wait."""
    forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ocml_bridge.engine.plans.conversations.WINDOW", sys.maxsize)
        yield


@pytest.fixture(scope="module")
def settled_heap() -> None:
    """What is counted or timed is the work itself: the collector passes by whatever was there before."""
    gc.collect()
    gc.freeze()


def _give_vocabulary(config: pytest.Config) -> None:
    """`internlm2-tokens` reads its vocabulary from a path of the user; golden files use the one made here."""
    folder = tempfile.TemporaryDirectory(prefix="ocml-convert-")
    config.add_cleanup(folder.cleanup)
    os.environ[VARIABLE] = str(write_model(Path(folder.name, "tokenizer.model")))
