"""Format ids on the command line: checked before anything is read, completed by the shell."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from .. import registry


class FormatId(click.ParamType):
    """`ID` or `ID:DIALECT` of a known format."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The id itself, where there is such a format.

        Raises:
            BridgeError: OCB-FORMAT-UNKNOWN, which ends the command with status 5.
        """
        registry.adapter(value)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The ids that begin as what was typed."""
        return [CompletionItem(name) for name in registry.formats() if name.startswith(incomplete)]


FORMAT = FormatId()
