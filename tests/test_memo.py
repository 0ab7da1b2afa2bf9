"""A bounded cache: it returns the values that were kept, and never exceeds its size."""

from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.common.memo import Meetings, Memo


def test_a_memo_is_a_dict_of_the_last_values() -> None:
    memo = Memo[str, int](2)
    assert memo.get("a") is None
    assert memo.keep("a", 1) == 1
    assert memo.keep("b", 2) == 2
    assert memo == {"a": 1, "b": 2}


def test_a_full_memo_is_emptied() -> None:
    memo = Memo[str, int](2)
    for number, key in enumerate("abc"):
        memo.keep(key, number)
    assert memo == {"c": 2}


def test_heavy_values_count_more() -> None:
    memo = Memo[str, int](10)
    for number, key in enumerate("abc"):
        memo.keep(key, number, 4)
    assert memo == {"c": 2}
    assert memo.keep("d", 3, 6) == 3
    assert memo == {"c": 2, "d": 3}


@given(st.integers(1, 5), st.lists(st.tuples(st.integers(0, 8), st.none() | st.text(max_size=2))))
def test_a_memo_returns_the_values_that_were_kept_and_never_exceeds_its_size(
    size: int, answers: list[tuple[int, str | None]]
) -> None:
    memo, given = Memo[int, str | None](size), dict[int, str | None]()
    for key, answer in answers:
        given[key] = answer
        assert memo.keep(key, answer) is answer
        assert memo[key] is answer
        assert len(memo) <= size
        assert memo.items() <= given.items()


def test_meetings_are_counted_for_each_key_and_the_counter_is_bounded() -> None:
    meetings = Meetings(2)
    assert [meetings.met(thing) for thing in ("a", "b", "a", "a")] == [1, 1, 2, 3]
    assert meetings.met("c") == 1
    assert [meetings.met("a"), meetings.met("c")] == [1, 2]
