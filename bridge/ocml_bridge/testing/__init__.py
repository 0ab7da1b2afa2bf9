"""The test kit: checks an adapter against the laws of docs/loss.md, for third parties as for our own.

    from ocml_bridge.testing import check_adapter, check_samples
    check_samples(ADAPTER, [b"..."])          # valid documents are written back, and keep the laws when they are edited
    check_adapter(ADAPTER, examples=500)      # the laws on listed and on drawn documents
    check_bytes(ADAPTER)                      # any text is read, or refused with a position
    check_plans(ADAPTER)                      # results are the same with plans and without
    check_spans(ADAPTER)                      # spans cover the output, and match the contents at their paths
    check_streams(ADAPTER)                    # streams give the same results as whole documents
    check_growth(ADAPTER)                     # the time of reading and writing grows no faster than the document
    golden_files(ADAPTER, b"...", ["openai"]) # all outputs for a source, as files to compare

It needs Hypothesis: `pip install 'ocml-convert[testing]'`.

Each check raises `AssertionError` with a small document that violates a law; one that does not apply to an adapter
raises `unittest.SkipTest` with the reason. How many values a check draws is its argument `examples`, or `max_examples`
of the profile of Hypothesis that is loaded (100, unless a project sets another).
"""

from importlib import import_module

try:
    import_module("hypothesis")
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("hypothesis is missing: pip install 'ocml-convert[testing]'", name=error.name) from error

from .golden import golden_files
from .growth import check_growth
from .kit import check_adapter, check_bytes, check_plans, check_samples, check_spans, check_streams
from .laws import all_laws
from .trial import Trial

__all__ = [
    "Trial",
    "all_laws",
    "check_adapter",
    "check_bytes",
    "check_growth",
    "check_plans",
    "check_samples",
    "check_spans",
    "check_streams",
    "golden_files",
]
