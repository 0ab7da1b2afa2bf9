"""What dialects write inside frames: calls, replies, lists of tools, types of arguments. Nothing here knows frames."""
