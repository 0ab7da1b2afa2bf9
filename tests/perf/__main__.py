"""`python tests/perf`: measure, show the tables, and write the page, its figures and its picture."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The checkout is measured, and this package is found, wherever the command is run from.
sys.path[:0] = [str(ROOT / folder) for folder in ("bridge", "adapters", "tests")]


def main() -> None:
    from perf.corpus import COUNT
    from perf.figures import PAIRED, collect, load, paired, save
    from perf.measure import PART
    from perf.picture import draw
    from perf.report import page, summary

    parser = argparse.ArgumentParser(prog="python tests/perf", description="Measure ocml-convert and its peers.")
    parser.add_argument("--conversations", type=int, default=COUNT, help="how many of the corpus (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured")
    parser.add_argument("--largest", type=int, default=50, help="MB of the largest document; 0 leaves growth out")
    parser.add_argument("--write", action="store_true", help="write docs/speed.md, docs/speed.json and docs/speed.svg")
    parser.add_argument(
        "--pairs", action="store_true", help="measure every pair of formats and every feature, no peers"
    )
    parser.add_argument("--redraw", action="store_true", help="measure nothing: make page and picture of the figures")
    given = parser.parse_args()
    if given.conversations < 2 * PART:
        parser.error(f"--conversations: at least {2 * PART}, so that there are two parts to measure")

    figures_path = ROOT / "docs" / "speed.json"

    def report(text: str) -> None:
        print(text, file=sys.stderr)

    if given.redraw:
        figures = load(figures_path)
    elif given.pairs:
        figures = {**load(figures_path), **paired(PAIRED, given.rounds, report)}
    else:
        figures = collect(given.conversations, given.rounds, given.largest * 1_000_000, report)
    if not given.redraw:
        print(summary(figures))
    if given.write:
        save(figures, figures_path)
    if given.write or given.redraw:
        path = ROOT / "docs" / "speed.md"
        path.write_text(page(path.read_text("utf-8"), figures), "utf-8")
        (ROOT / "docs" / "speed.svg").write_text(draw(figures), "utf-8")


if __name__ == "__main__":
    main()
