"""What dialects write inside of frames: calls, lists of tools, types of arguments. It knows nothing of frames."""
