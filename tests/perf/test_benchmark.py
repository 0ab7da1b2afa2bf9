"""The benchmark itself: the same corpus everywhere, and a page and a picture that agree with the figures."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import orjson
import pytest

from corpus import corpus_path
from ocml_bridge import read
from perf import keeps, peers
from perf.corpus import conversations, describe
from perf.documents import SPELLINGS, third
from perf.features import FEATURES, Feature
from perf.figures import load
from perf.measure import PART, WARM_UP, Here, measure, measure_apart, ratio
from perf.pairs import all_pairs
from perf.peers import orjson_alone
from perf.picture import draw
from perf.report import page
from perf.scaling import readable
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
def test_ours_keeps_or_reports_every_fact(work: Work, fact: keeps.Fact) -> None:
    assert keeps.outcome(work, fact) in {keeps.KEPT, keeps.REPORTED}


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


def test_the_page_agrees_with_the_figures() -> None:
    text = (DOCS / "speed.md").read_text("utf-8")
    assert page(text, load(DOCS / "speed.json")) == text


def test_the_picture_agrees_with_the_figures() -> None:
    drawn = (DOCS / "speed.svg").read_text("utf-8")
    assert drawn == draw(load(DOCS / "speed.json"))
    assert ElementTree.fromstring(drawn).tag.endswith("svg")


# --- every pair, and single features ----------------------------------------------------------------------------------


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_a_feature_is_in_some_conversations_and_is_read(feature: Feature) -> None:
    plain = [orjson.loads(data) for data in conversations(100)]
    changed = [feature.add(orjson.loads(data)) for data in conversations(100)]
    assert any(json.dumps(one) != json.dumps(other) for one, other in zip(plain, changed, strict=True))
    assert all(read(orjson.dumps(request), "openai").transcript for request in changed)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_spelling_reads_as_the_same_document(spelling: str) -> None:
    request = third("generated", 1)[0]
    assert orjson.loads(SPELLINGS[spelling](request)) == request


def test_the_generated_third_has_models_and_mixed_orders() -> None:
    requests = third("generated", 50)
    assert all("model" in request for request in requests)
    orders = {next(iter(message)) for request in requests for message in request["messages"]}
    assert {"role", "content"} <= orders


def test_the_real_third_is_of_real_transcripts() -> None:
    corpus_path("openai")
    assert len(third("real", 100)) == 100


def test_every_pair_is_measured_on_the_same_requests() -> None:
    ratios = all_pairs(1, 1, lambda _: None)
    measured = {(ratio.source, ratio.target) for ratio in ratios if ratio.third == "generated"}
    assert measured == {(source, target) for source in readable() for target in readable()}
    assert all(ratio.ratio > 0 for ratio in ratios)
