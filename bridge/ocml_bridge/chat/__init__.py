"""The meaning of conversations in any format: turns, calls, visibility, amount of content, citations, tool names."""
