"""Convert many transcripts at once: each record is converted, converted with losses, or quarantined.

`convert_batch` is the function without files, which the command and `ocml_bridge.hosts` use. `run` converts files:
docs/migration.md shows how, docs/cli.md has the options.
"""

from .batch import Outcome, Settings, Status, convert_batch

__all__ = ["Outcome", "Settings", "Status", "convert_batch"]
