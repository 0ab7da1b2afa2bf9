"""The benchmark itself: the same corpus everywhere, and a page and a picture that say what the figures say."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import orjson
import pytest

from perf import keeps, peers
from perf.corpus import conversations, describe
from perf.figures import load
from perf.measure import PART, WARM_UP, Here, measure, measure_apart, ratio
from perf.peers import orjson_alone
from perf.picture import draw
from perf.report import page
from perf.work import OURS, Work
from perf.works import GOALS, JOBS, OURS_MEASURED

DOCS = Path(__file__).resolve().parents[2] / "docs"
STARTING_FROM_REQUESTS = ("harmony", "chatml", "provider", "round")


def test_the_corpus_is_the_same_everywhere() -> None:
    digest = hashlib.sha256(b"\n".join(conversations(200))).hexdigest()
    assert digest == load(DOCS / "speed.json")["corpus"]["first 200"]


def test_the_corpus_is_as_described() -> None:
    corpus = list(conversations(1000))
    requests = [orjson.loads(data) for data in corpus]
    assert {len(request["messages"]) for request in requests} == set(range(2, 21))
    about = describe(corpus)
    assert 6_000 < about["bytes"] / 1000 < 8_000
    assert 150 < about["with tools"] < 250
    assert about["with reasoning"] > 150


@pytest.mark.parametrize(
    "work", [work for work in OURS_MEASURED if work.job in STARTING_FROM_REQUESTS], ids=lambda w: w.id
)
@pytest.mark.parametrize("fact", keeps.FACTS, ids=lambda fact: fact.name)
def test_ours_keeps_or_says(work: Work, fact: keeps.Fact) -> None:
    assert keeps.outcome(work, fact) in {keeps.KEPT, keeps.SAID}


def test_works_and_goals_belong_together() -> None:
    figures = load(DOCS / "speed.json")
    names = [work["id"] for work in figures["works"]]
    assert len(set(names)) == len(names)
    assert {work.id for work in OURS_MEASURED} <= set(names)
    assert {work["job"] for work in figures["works"]} == set(JOBS)
    assert {name for goal in GOALS for name in (goal.ours, goal.peer)} <= {*names, *figures["starts"]}


def test_a_peer_that_is_not_installed_is_left_out() -> None:
    absent = SimpleNamespace(PEER="not-a-distribution", works=lambda: (Work("none", "limit", "none", "", len),))
    assert peers.load_one(absent) == peers.Peer("not-a-distribution", None, (), "not installed")


def test_a_peer_that_fails_is_left_out() -> None:
    def works() -> tuple[Work, ...]:
        raise RuntimeError("no such model")

    peer = peers.load_one(SimpleNamespace(PEER="orjson", works=works))
    assert (peer.works, peer.missing) == ((), "cannot be measured: RuntimeError: no such model")


def test_measuring_compares_the_same_conversations() -> None:
    one = Work("one", "limit", OURS, "", lambda data: sum(data))
    other = Work("other", "limit", OURS, "", lambda data: [sum(data) for _ in range(8)], sample=2, first=1)
    place = Here([one, other], list(conversations(4 * PART)))
    times = measure([(one, place), (other, place)], 2, lambda _: None)
    assert set(times["other"].parts) == {1, 3}
    assert {len(rounds) for rounds in times["one"].parts.values()} == {2}
    assert all(found > 2 for found in ratio(times["other"], times["one"]))


def test_a_process_of_its_own_measures_the_same_works() -> None:
    alone = orjson_alone.works()
    times = measure_apart([(orjson_alone.works, alone)], PART + 50, 1, lambda _: None)
    assert times["orjson"].counts == {0: PART - WARM_UP, 1: 50 - WARM_UP}
    assert times["orjson"].microseconds > 0


def test_the_page_is_what_the_figures_say() -> None:
    text = (DOCS / "speed.md").read_text("utf-8")
    assert page(text, load(DOCS / "speed.json")) == text


def test_the_picture_is_what_the_figures_say() -> None:
    drawn = (DOCS / "speed.svg").read_text("utf-8")
    assert drawn == draw(load(DOCS / "speed.json"))
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
