"""The ratios as bars, on a logarithmic scale; it reads in light and in dark."""

from __future__ import annotations

from html import escape
from math import log10
from typing import Any, Final

from .work import OURS
from .works import JOBS

_WIDTH: Final = 860
_LEFT: Final = 250
_RIGHT: Final = 70
_BAR: Final = 22
_HEADING: Final = 40
_TICKS: Final = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)
_LOOK: Final = (
    'aria-labelledby="title" font-family="system-ui, -apple-system, \'Segoe UI\', Helvetica, Arial, sans-serif" '
    'font-size="13"'
)
_STYLE: Final = """
    .ground { fill: #f6f8fa; stroke: #d0d7de } text { fill: #1f2328 } .job { font-weight: 600 } .soft { fill: #656d76 }
    .slower { fill: #1a7f37 } .faster { fill: #bc4c00 } .line { stroke: #d0d7de }
    .one { stroke: #1f2328; stroke-width: 1.5 }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; stroke: #30363d } text { fill: #e6edf3 } .soft { fill: #8b949e }
      .slower { fill: #3fb950 } .faster { fill: #db6d28 } .line { stroke: #30363d } .one { stroke: #e6edf3 }
    }
"""


def draw(figures: dict[str, Any]) -> str:
    """The picture of one run: for each job, how many times our time each peer takes."""
    groups = [
        (job, ours, [work for work in figures["works"] if work["job"] == job and work["by"] != OURS])
        for job, ours in _ours_by_job(figures).items()
    ]
    groups = [group for group in groups if group[2]]
    ratios = [work["ratio"] for _, _, works in groups for work in works] or [1.0]
    low = max((tick for tick in _TICKS if tick <= min(1, *ratios)), default=_TICKS[0])
    high = min((tick for tick in _TICKS if tick >= max(1, *ratios)), default=_TICKS[-1])

    def place(value: float) -> float:
        share = (log10(value) - log10(low)) / (log10(high) - log10(low) or 1)
        return round(_LEFT + min(max(share, 0), 1) * (_WIDTH - _LEFT - _RIGHT), 1)

    body: list[str] = []
    y = 54
    for job, ours, works in groups:
        body.append(
            f'<text class="job" x="20" y="{y + 16}">{escape(JOBS[job])}</text>'
            f'<text class="soft" x="{_WIDTH - 20}" y="{y + 16}" text-anchor="end">'
            f"{OURS}: {_microseconds(ours['microseconds'])}</text>"
        )
        y += _HEADING - 14
        for work in sorted(works, key=lambda work: work["ratio"]):
            body.append(_bar(work, y, place))
            y += _BAR
        y += 14
    lines = [
        f'<path class="{"one" if tick == 1 else "line"}" d="M{place(tick)} 46V{y - 6}"/>'
        f'<text class="soft" x="{place(tick)}" y="40" text-anchor="middle">{tick:g}×</text>'
        for tick in _TICKS
        if low <= tick <= high
    ]
    title = f"The time of each peer for the same conversations, in times of {OURS}'s"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y + 10}" role="img" {_LOOK}>',
            f'  <title id="title">{escape(title)}.</title>',
            f"  <style>{_STYLE}  </style>",
            f'  <rect class="ground" x="0.5" y="0.5" width="{_WIDTH - 1}" height="{y + 9}" rx="12"/>',
            f'  <text class="soft" x="20" y="24">{escape(title)}; right of 1× is slower than ours</text>',
            *(f"  {line}" for line in lines),
            *(f"  {line}" for line in body),
            "</svg>\n",
        ]
    )


def _ours_by_job(figures: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Our work that the peers of each job are compared with."""
    works = {work["id"]: work for work in figures["works"]}
    found: dict[str, dict[str, Any]] = {}
    for job in JOBS:
        peer = next((work for work in figures["works"] if work["job"] == job and work["by"] != OURS), None)
        if peer is not None:
            found[job] = works[peer["ours"]]
    return found


def _bar(work: dict[str, Any], y: int, place: Any) -> str:
    one, end = place(1), place(work["ratio"])
    kind = "slower" if work["ratio"] >= 1 else "faster"
    after = f'x="{end + 6}"' if end >= one else f'x="{end - 6}" text-anchor="end"'
    return (
        f'<text x="{20}" y="{y + 14}">{escape(label(work))}</text>'
        f'<rect class="{kind}" x="{min(one, end)}" y="{y + 4}" width="{round(abs(end - one), 1)}" height="12" rx="2"/>'
        f'<text {after} y="{y + 14}">{times(work["ratio"])}</text>'
    )


def label(work: dict[str, Any]) -> str:
    """What a bar is called: the peer, and which of its ways where it has several for the job."""
    return _WAYS.get(str(work["id"]), str(work["by"]))


_WAYS: Final = {
    "official-render-text": "openai-harmony, via objects",
    "official-parse-text": "openai-harmony, to objects",
    "official-render": "openai-harmony, from objects",
    "bpe": "plain BPE of the finished text",
    "transformers-harmony": "transformers, gpt-oss-like",
    "minijinja-harmony": "minijinja, gpt-oss-like",
    "rosetta-anthropic": "llm-rosetta → Anthropic",
    "babel-anthropic": "llm-babel → Anthropic",
    "litellm-anthropic": "litellm → Anthropic",
}


def times(value: float) -> str:
    """A ratio with two significant digits at least: 0.23×, 4.1×, 57×."""
    return f"{value:.0f}×" if value >= 10 else f"{value:.1f}×" if value >= 1 else f"{value:.2f}×"


def _microseconds(value: float) -> str:
    return f"{value:,.0f} µs a conversation"
