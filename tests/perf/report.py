"""The generated parts of `docs/speed.md`, from the figures of one run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from .keeps import KEPT, LOST, REFUSED, REPORTED
from .pairs import SOURCE, TARGETS
from .parts import with_part
from .picture import times
from .scaling import MEMORY_SIZES
from .startup import COMMAND
from .work import OURS
from .works import JOBS, OURS_MEASURED

Figures = dict[str, Any]


def page(text: str, figures: Figures) -> str:
    """The page with its generated parts made anew."""
    for name, make in _PARTS.items():
        text = with_part(text, name, make(figures))
    return text


def summary(figures: Figures) -> str:
    """What is shown in the terminal."""
    parts = (_works, _goals, _starts, _requests, _once, _pairs, _features, _machine)
    return "\n\n".join(part(figures) for part in parts)


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]], numbers: int = 0) -> str:
    """A table whose last columns, so many, are numbers."""
    plain = len(heads) - numbers
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join(['---'] * plain + ['--:'] * numbers)} |"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


# --- the parts --------------------------------------------------------------------------------------------------------


def _works(figures: Figures) -> str:
    rows: list[Sequence[object]] = []
    for job, title in JOBS.items():
        works = [work for work in figures["works"] if work["job"] == job]
        for work in sorted(works, key=lambda work: (work["by"] != OURS, work["microseconds"])):
            name = f"**{work['by']}**" if work["by"] == OURS else work["by"]
            ratios = ("", "") if work["by"] == OURS else (times(work["ratio"]), times(work["ratio_median"]))
            rows.append((title, name, work["does"], f"{work['microseconds']:,.1f}", f"{work['median']:,.1f}", *ratios))
            title = ""
    heads = ("job", "by", "what is timed", "µs, best", "median", "of our time, best", "median")
    return _table(heads, rows, 4)


def _goals(figures: Figures) -> str:
    ours = {work.id: JOBS[work.job] for work in OURS_MEASURED} | {COMMAND: "starting the command"}
    rows: list[Sequence[object]] = []
    for goal in figures["goals"]:
        faster = goal["at_least"] is not None
        values = [] if goal["ratio"] is None else [goal["ratio"], goal["ratio_median"]]
        found = [times(value if faster else 1 / value) for value in values] or ["", ""]
        rows.append((ours[goal["ours"]], goal["against"], _wanted(goal), *found, _verdict(goal)))
    return _table(("ours", "against", "goal", "best", "median", "reached"), rows)


def _wanted(goal: Figures) -> str:
    if goal["at_least"] is not None:
        return "faster" if goal["at_least"] == 1 else f"≥ {goal['at_least']:g}× faster"
    limit = goal["at_most"]
    return f"≤ {limit:g}× its time" if limit is not None else "its time, measured"


def _verdict(goal: Figures) -> str:
    if goal["ratio"] is None:
        return "not measured"
    return {True: "yes", False: "**no**", None: ""}[goal["reached"]]


def _starts(figures: Figures) -> str:
    rows = [
        (start["does"], f"{start['best'] * 1e3:.0f}", f"{start['median'] * 1e3:.0f}")
        for start in figures["starts"].values()
    ]
    return _table(("a whole process", "ms of CPU, best", "median"), rows, 2)


def _keeps(figures: Figures) -> str:
    rows: list[Sequence[object]] = []
    for work in figures["works"]:
        if work["job"] not in {"harmony", "chatml", "provider", "round"}:
            continue
        by_outcome: defaultdict[str, list[str]] = defaultdict(list)
        for fact, outcomes in figures["keeps"].items():
            by_outcome[outcomes[work["id"]]].append(fact)
        name = f"**{work['by']}**" if work["by"] == OURS else work["by"]
        kept = f"{len(by_outcome[KEPT])} of {len(figures['keeps'])}"
        rows.append(
            (JOBS[work["job"]], name, kept, *(", ".join(by_outcome[each]) for each in (LOST, REPORTED, REFUSED)))
        )
    return _table(("job", "by", "kept", "lost in silence", "lost, and reported", "refused"), rows)


def _facts(figures: Figures) -> str:
    return ", ".join(figures["keeps"]) + "."


def _machine(figures: Figures) -> str:
    about = figures["machine"]
    corpus = figures["corpus"]
    peers = [f"{peer['name']} {peer['version'] or ''}".strip() for peer in figures["peers"] if not peer["missing"]]
    missing = [f"{peer['name']}: {peer['missing']}" for peer in figures["peers"] if peer["missing"]]
    missing += [f"{work} cannot be measured: {reason}" for work, reason in figures["left_out"].items()]
    size = f"{corpus['bytes'] / 1e6:.1f} MB ({corpus['bytes'] / corpus['conversations'] / 1e3:.1f} KB each)"
    parts = [
        f"{corpus['conversations']:,} conversations from seed {corpus['seed']}: {corpus['messages']:,} messages",
        size,
        f"{corpus['with tools']:,} with tools",
        f"{corpus['calls']:,} calls",
        f"{corpus['with reasoning']:,} with reasoning",
    ]
    lines = [
        f"* {about['processor']}, {about['cores']} cores, {about['system']}, {about['python']}",
        f"* {', '.join(peers)}",
        *(f"* {line}" for line in missing),
        f"* {', '.join(parts)}",
        f"* rounds: {figures['rounds']}",
    ]
    return "\n".join(lines)


def _growth(figures: Figures) -> str:
    if not figures.get("speeds"):
        return _NOT_MEASURED
    parts: list[str] = []
    for verb in ("read", "write"):
        by_format: dict[str, list[Figures]] = {}
        for speed in figures["speeds"]:
            by_format.setdefault(speed["format"], []).append(speed)
        sizes = [_size(speed["bytes"]) for speed in next(iter(by_format.values()))]
        rows = [(f"`{name}`", *(f"{speed[verb]:.1f}" for speed in speeds)) for name, speeds in by_format.items()]
        parts.append(_table((f"{verb}, ns a byte", *(f"about {size}" for size in sizes)), rows, len(sizes)))
    return "\n\n".join(parts)


def _requests(figures: Figures) -> str:
    """What each third and spelling of requests takes; the most informative column of the pairs."""
    wanted = [ratio for ratio in figures.get("pairs", ()) if ratio["source"] == SOURCE and ratio["target"] in TARGETS]
    if not wanted:
        return _NOT_MEASURED
    rows: list[Sequence[object]] = []
    for third, spelling in dict.fromkeys((ratio["third"], ratio["spelling"]) for ratio in wanted):
        chosen = {
            ratio["target"]: ratio for ratio in wanted if (ratio["third"], ratio["spelling"]) == (third, spelling)
        }
        cells = [f"{chosen[target]['ratio']:.1f} ({chosen[target]['rendered']:.1f})" for target in TARGETS]
        rows.append((third, spelling, chosen[TARGETS[0]]["conversations"], *cells))
    heads = ("documents", "their JSON", "conversations", *(f"→ `{target}`" for target in TARGETS))
    return _table(heads, rows, 1 + len(TARGETS))


def _once(figures: Figures) -> str:
    """What documents take that are converted once."""
    found = {(one["third"], one["target"]): one for one in figures.get("once", ())}
    if not found:
        return _NOT_MEASURED
    rows: list[Sequence[object]] = []
    for third in dict.fromkeys(third for third, _ in found):
        chosen = [found[third, target] for target in TARGETS]
        cells = [f"{one['once']:.1f} ({one['again']:.1f})" for one in chosen]
        rows.append((third, sum(one["conversations"] for one in chosen), *cells))
    heads = ("documents", "conversations", *(f"→ `{target}`, once (again)" for target in TARGETS))
    return _table(heads, rows, 1 + len(TARGETS))


def _pairs(figures: Figures) -> str:
    compact = [ratio for ratio in figures.get("pairs", ()) if ratio["spelling"] == "compact"]
    if not compact:
        return _NOT_MEASURED
    names = list(dict.fromkeys(ratio["source"] for ratio in compact))
    parts: list[str] = []
    for third in dict.fromkeys(ratio["third"] for ratio in compact):
        found = {(ratio["source"], ratio["target"]): ratio["ratio"] for ratio in compact if ratio["third"] == third}
        rows = [(f"`{source}`", *(f"{found[source, target]:.1f}" for target in names)) for source in names]
        parts.append(_table((f"{third}: from \\ to", *(f"`{name}`" for name in names)), rows, len(names)))
    return "\n\n".join(parts)


def _features(figures: Figures) -> str:
    costs = figures.get("features", ())
    if not costs:
        return _NOT_MEASURED
    rows = [(cost["feature"], *(f"{cost['times'][target]:.2f}" for target in TARGETS)) for cost in costs]
    return _table(("feature", *(f"→ `{target}`" for target in TARGETS)), rows, len(TARGETS))


_NOT_MEASURED: Final = "Not measured in this run."


def _size(count: int) -> str:
    digits = float(f"{count:.0e}")
    return f"{digits / 1e6:g} MB" if digits >= 1e6 else f"{digits / 1e3:g} KB"


def _memory(figures: Figures) -> str:
    if not figures.get("memory"):
        return _NOT_MEASURED
    by_format: dict[str, list[Figures]] = {}
    for peak in figures["memory"]:
        by_format.setdefault(peak["format"], []).append(peak)
    rows = [
        (f"`{name}`", *(f"{peak[verb]:.1f}" for verb in ("read", "write") for peak in peaks))
        for name, peaks in by_format.items()
    ]
    sizes = [_size(size) for size in MEMORY_SIZES[: len(next(iter(by_format.values())))]]
    heads = [f"{verb}, {size}" for verb in ("read", "write") for size in sizes]
    return _table(("bytes of memory for each byte", *heads), rows, len(heads))


_PARTS: Final[dict[str, Callable[[Figures], str]]] = {
    "works": _works,
    "goals": _goals,
    "starts": _starts,
    "keeps": _keeps,
    "facts": _facts,
    "machine": _machine,
    "requests": _requests,
    "once": _once,
    "pairs": _pairs,
    "features": _features,
    "growth": _growth,
    "memory": _memory,
}
