"""The test kit: the laws of the contract of loss, for adapters of third parties as for our own.

    from ocml_bridge.testing import check_adapter, check_samples
    check_samples(ADAPTER, [b"..."])          # law 1: documents that are right are written back byte for byte
    check_adapter(ADAPTER, examples=500)      # the others on drawn documents; needs hypothesis
    check_bytes(ADAPTER)                      # any text is read, or refused with a place
    check_plans(ADAPTER)                      # plans change nothing but the time
    check_spans(ADAPTER)                      # spans are the whole output, and say what stands at their paths
    check_streams(ADAPTER)                    # what is read and written as it comes is what is so at once
    golden_files(ADAPTER, b"...", ["openai"]) # what a source gives, as files to compare

Each raises `AssertionError` with the smallest document that breaks a law.
"""

from .golden import golden_files
from .kit import check_adapter, check_bytes, check_plans, check_samples, check_spans, check_streams
from .laws import all_laws
from .trial import Trial

__all__ = [
    "Trial",
    "all_laws",
    "check_adapter",
    "check_bytes",
    "check_plans",
    "check_samples",
    "check_spans",
    "check_streams",
    "golden_files",
]
