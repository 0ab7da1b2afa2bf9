"""What conversations mean in any format: turns, who may see what, how much was said, citations, names of tools."""
