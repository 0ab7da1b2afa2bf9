"""The library under the name of its distribution: `import ocml_convert` gives the public names of `ocml_bridge`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ocml_bridge import *  # noqa: F403  # the names that `__all__` lists
    from ocml_bridge import __all__ as __all__
    from ocml_bridge import __version__ as __version__
else:

    def __getattr__(name: str) -> Any:
        """A public name; what it needs is imported only now."""
        import ocml_bridge

        if name in ("__all__", "__version__", *ocml_bridge.__all__):
            return getattr(ocml_bridge, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
