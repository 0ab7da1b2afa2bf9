"""The canonical form itself, as JSON: always lossless."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds

from .fit import fit
from .reader import read, sniff
from .writer import write

ADAPTER = Adapter(
    id="canonical",
    title="Canonical form",
    kind=Kind.JSON,
    home="canonical",
    read=read,
    fit=fit,
    write=write,
    sniff=sniff,
    capabilities=holds(*Feature),
)
