"""The benchmark: `python tests/perf` measures and writes docs/speed.md; `pytest -m perf` holds the figures to the goals."""
