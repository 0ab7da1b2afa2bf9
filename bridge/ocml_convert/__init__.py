"""The library under the name of its distribution: `import ocml_convert` gives the public names of `ocml_bridge`."""

from typing import TYPE_CHECKING, Any

import ocml_bridge
from ocml_bridge import __all__ as __all__
from ocml_bridge import __version__ as __version__

if TYPE_CHECKING:
    from ocml_bridge import *  # noqa: F403  # the names that `__all__` lists
else:

    def __getattr__(name: str) -> Any:
        """A public name, which may be imported only now."""
        if name in __all__:
            return getattr(ocml_bridge, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
