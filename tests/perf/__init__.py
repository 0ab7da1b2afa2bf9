"""The benchmark: `python tests/perf` measures, and writes docs/speed.md; `pytest -m perf` asks for the goals."""
