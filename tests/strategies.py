from ocml_bridge.testing.strategies import *  # noqa: F403
