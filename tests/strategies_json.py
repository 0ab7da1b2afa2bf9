"""JSON text in every spelling that the grammar (RFC 8259) has for a value, and text that misses it by one character."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

SPACE = st.sampled_from(["", "", "", " ", "\n", "\t", "\r\n  "])
SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _spellings(character: str) -> list[str]:
    """The ways in which a string of JSON may spell a character; half of a surrogate pair is always escaped."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    escaped = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    plain = [character] if character not in '"\\' and character >= " " and not "\ud800" <= character <= "\udfff" else []
    short = [SHORT[character]] if character in SHORT else []
    return [*plain, *short, escaped, escaped.upper().replace("\\U", "\\u")]


CHARACTERS = st.sampled_from('aab":\\/{}[],\n\x7fé\u2028😀\ud83d\ude00\udfff0') | st.characters()


def strings(characters: st.SearchStrategy[str] = CHARACTERS, size: int = 6) -> st.SearchStrategy[str]:
    """Strings, each character in one of its spellings."""
    spelled = characters.flatmap(lambda character: st.sampled_from(_spellings(character)))
    return st.lists(spelled, max_size=size).map(lambda pieces: f'"{"".join(pieces)}"')


KEYS = strings(st.sampled_from('ab":\\'), 2)
"""So few that many occur twice, in different spellings."""
DIGITS = st.from_regex(r"\A(0|[1-9][0-9]{0,25})\Z") | st.sampled_from(
    ["9223372036854775808", "18446744073709551616", "17976931348623159" + "0" * 292, "1" * 400, "1" * 4300, "1" * 4301]
)
FRACTIONS = st.just("") | st.from_regex(r"\A\.[0-9]{1,20}\Z") | st.sampled_from([".0", "." + "3" * 400])
EXPONENTS = (
    st.just("") | st.from_regex(r"\A[eE][-+]?[0-9]{1,4}\Z") | st.sampled_from(["e308", "e309", "E+400", "e0005"])
)
NUMBERS = st.builds("{}{}{}{}".format, st.sampled_from(["", "-"]), DIGITS, FRACTIONS, EXPONENTS)
CONSTANTS = st.sampled_from(["null", "true", "false"])


@st.composite
def _around(draw: st.DrawFn, pieces: Iterable[str], opened: str, closed: str) -> str:
    items = [draw(SPACE) + piece + draw(SPACE) for piece in pieces]
    return opened + (",".join(items) or draw(SPACE)) + closed


def _inside(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    members = st.builds("{}{}:{}{}".format, KEYS, SPACE, SPACE, values)
    return st.lists(values, max_size=4).flatmap(lambda pieces: _around(pieces, "[", "]")) | st.lists(
        members, max_size=4
    ).flatmap(lambda pieces: _around(pieces, "{", "}"))


VALUES = st.recursive(strings() | NUMBERS | CONSTANTS, _inside, max_leaves=8)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """JSON text: a value with white space around it, often nested as deep as some parser goes."""
    value = draw(VALUES)
    opened, closed = draw(st.sampled_from([("[", "]"), ('{"a":', "}"), ('[{"a" : ', "}]")]))
    depth = draw(st.just(0) | st.integers(195, 205) | st.integers(250, 258)) // len(closed)
    return draw(SPACE) + opened * depth + value + closed * depth + draw(SPACE)


@st.composite
def broken_texts(draw: st.DrawFn) -> str:
    """JSON text that was cut off, or in which one character is another or is followed by another."""
    text = draw(texts())
    at = draw(st.integers(0, max(len(text) - 1, 0)))
    other = draw(
        st.sampled_from(['"', "\\", ",", ":", "[", "}", "0", ".", "e", "-", " ", "\n", "N", "\ufeff", "\ud800"])
    )
    return text[:at] + draw(st.sampled_from(["", other + text[at:], other + text[at + 1 :], text[at + 1 :]]))
