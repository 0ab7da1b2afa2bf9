"""Migration: many transcripts at once, each of them converted, converted with losses, or quarantined; none lost.

`convert_batch` is the whole of it as a function without files: the command and the fronts in `ocml_bridge.hosts` stand
on it. `run` moves files: docs/migration.md shows how, docs/cli.md has the options.
"""

from .batch import Outcome, Settings, Status, convert_batch

__all__ = ["Outcome", "Settings", "Status", "convert_batch"]
