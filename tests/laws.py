from ocml_bridge.testing.laws import *  # noqa: F403
from ocml_bridge.testing.laws import Trial, all_laws
