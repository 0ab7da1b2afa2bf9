"""The parts of a content that a target can represent, and the losses for the parts that it cannot."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import Loss, LossCode, Message, Severity, Transcript, write
from ocml_bridge.chat.turns import as_text, parts_of
from ocml_bridge.loss import Log
from ocml_bridge.model import (
    CacheMark,
    Citation,
    Content,
    FileBreak,
    Flags,
    Foreign,
    Infill,
    Media,
    Part,
    Passages,
    Refusal,
    Signature,
    Text,
    Thought,
    Tool,
    Tools,
    replace,
)
from ocml_bridge.report.narrowing import drop_empty, drop_private, fitted, narrow, with_own_extras, with_supported

PATH = "/messages/1/content"
PICTURE = Media("image", url="https://example.org")
TOOLS = Tools((Tool("look"),))
REASON, REFLECT = Thought("reason"), Thought("reflect")
LOST, CHANGED, LAYOUT = Severity.LOST, Severity.CHANGED, Severity.LAYOUT


def narrowed(content: Content, *supported: type[Any], **how: Any) -> tuple[Content, list[tuple[str, str, str]]]:
    """The content that is left, and of each loss its code, its severity and its path in the content."""
    log = Log()
    made = narrow(content, supported, PATH, log, target="x", **how)
    return made, shortly(log)


def shortly(log: Log) -> list[tuple[str, str, str]]:
    return [(loss.code, loss.severity, loss.path.removeprefix(PATH)) for loss in log.losses]


@pytest.mark.parametrize("text", ["", "Hi."])
def test_every_target_represents_a_text(text: str) -> None:
    assert narrowed(text) == narrowed(text, Text) == (text, [])


@pytest.mark.parametrize(
    ("part", "code", "words"),
    [
        (REFLECT, LossCode.THOUGHT, 'the thought\'s kind "reflect"'),
        (Flags(("reason",)), LossCode.FLAGS, "thought flags"),
        (TOOLS, LossCode.TOOLS, "declared tools"),
        (PICTURE, LossCode.MEDIA, "an image"),
        (FileBreak(), LossCode.FILE_BREAK, "the boundary between two files"),
        (Foreign("openai", {"type": "video"}), LossCode.FOREIGN_PART, "a part that was not understood"),
    ],
)
def test_a_part_without_a_place_is_lost_at_its_path(part: Part, code: LossCode, words: str) -> None:
    log = Log()
    assert narrow((Text("Hi."), part), (), PATH, log, target="x") == "Hi."
    [loss] = log.losses
    assert loss[:3] == (code, LOST, f"{PATH}/1")
    assert loss.detail.startswith(f"x has no place for {words}")
    assert narrowed((Text("Hi."), part), type(part)) == ((Text("Hi."), part), [])


@pytest.mark.parametrize(
    ("part", "code", "detail"),
    [
        (Refusal("ab"), LossCode.REFUSAL, "x writes a refusal as plain text"),
        (Infill("a", None, "b"), LossCode.INFILL, "x writes a fill-in-the-middle text as plain text"),
    ],
)
def test_a_part_that_contains_a_text_becomes_a_text(part: Part, code: LossCode, detail: str) -> None:
    log = Log()
    assert narrow((part,), (), PATH, log, target="x") == "ab"
    assert log.losses == [Loss(code, CHANGED, PATH, detail)]
    assert narrowed((part,), type(part)) == ((part,), [])


def test_some_parts_of_a_supported_kind_may_be_unsupported() -> None:
    sound = Media("audio", data="aGk=")
    content, losses = narrowed((PICTURE, sound), Media, able=sound.__eq__)
    assert (content, losses) == ((sound,), [("media", LOST, "/0")])


def test_neighbouring_texts_are_joined_if_texts_are_not_parts() -> None:
    log = Log()
    assert narrow((Text("a"), Text("b")), (), PATH, log, target="x") == "ab"
    assert log.losses == [Loss(LossCode.CONTENT, CHANGED, PATH, "x joins texts that are side by side")]
    assert narrowed((Text("a"), Text("b")), Text) == ((Text("a"), Text("b")), [])
    assert narrowed((Text("a"), PICTURE, Text("b")), Media) == ((Text("a"), PICTURE, Text("b")), [])


def test_a_single_part_of_text_becomes_the_text() -> None:
    assert narrowed((Text("a"),)) == narrowed((Text("a"),), Text) == ("a", [])
    assert narrowed(()) == narrowed((), Text) == ("", [])


def test_what_stands_beside_joined_texts_is_left_to_the_comparison_of_document_and_image() -> None:
    odd = Text("b", extras={"openai": {"x": 1}})
    assert narrowed((PICTURE, odd), Media) == ((PICTURE, Text("b")), [])
    assert narrowed((Text("a"), odd)) == ("ab", [("content", CHANGED, "")])
    assert narrowed((PICTURE, odd), Media, Text) == ((PICTURE, odd), [])


def test_texts_around_tools_that_were_moved_are_not_joined() -> None:
    assert narrowed((Text("a"), TOOLS, Text("b")), hoisted=True) == ("a\n\nb", [])
    assert narrowed((Text("a"), TOOLS, Text("b")), Text, hoisted=True) == ("a\n\nb", [])
    assert narrowed((Text("a\n"), TOOLS, Text("b")), hoisted=True) == ("a\nb", [])
    assert narrowed((TOOLS, Text("b")), hoisted=True) == ("b", [])
    odd = Text("b", extras={"x": {"y": 1}})
    for parts in ((Text("a"), TOOLS, odd), (odd, TOOLS, Text("a"))):
        assert narrowed(parts, Text, hoisted=True) == ((parts[0], parts[2]), [])
    assert narrowed((Text("a"), TOOLS, PICTURE, Text("b")), Text, Media, hoisted=True) == (
        (Text("a"), PICTURE, Text("b")),
        [],
    )


def test_texts_around_a_marker_that_is_lost_are_joined_and_that_is_reported() -> None:
    log = Log()
    assert narrow((Text("a"), REFLECT, Text("b"), Text("c")), (), PATH, log, target="x") == "a\n\nbc"
    assert shortly(log)[:2] == [("thought", LOST, "/1"), ("content", CHANGED, "")]
    assert log.losses[1].detail == "x joins the texts before and after a marker"
    assert narrowed((REFLECT, Text("b"))) == ("b", [("thought", LOST, "/0")])
    assert narrowed((Text("a"), REFLECT, Text("b"), Text("c")), Text)[0] == (Text("a\n\nb"), Text("c"))


def test_texts_around_other_lost_parts_are_not_joined() -> None:
    assert narrowed((Text("a"), PICTURE, Text("b")), Text) == ((Text("a"), Text("b")), [("media", LOST, "/1")])


def test_the_kind_of_private_reasoning_at_the_beginning_is_the_default() -> None:
    log = Log()
    assert narrow((REASON, Text("a")), (), PATH, log, target="x", private=True) == "a"
    detail = "x leaves out the kind 'reason', which is the default"
    assert log.losses == [Loss(LossCode.THOUGHT, LAYOUT, f"{PATH}/0", detail)]
    assert narrowed((REASON, Text("a")))[1] == [("thought", LOST, "/0")]
    assert narrowed((REFLECT, Text("a")), private=True)[1] == [("thought", LOST, "/0")]
    assert narrowed((PICTURE, REASON), private=True)[1] == [("media", LOST, "/0"), ("thought", LOST, "/1")]


# --- marks, citations and further keys --------------------------------------------------------------------------------

MARK = CacheMark("5m")
HERE, THERE = Citation(url="https://here"), Citation(title="There")


class OfAddresses:
    """Holds the citations that have an address, without their titles."""

    def nearest(self, citation: Citation, place: Any, /) -> Citation | None:
        assert place == (0, 1)
        return replace(citation, title=None) if citation.url else None


def with_marks(content: Content, *, marks: bool = False) -> tuple[Content, list[tuple[str, str, str]]]:
    log = Log()
    made = with_supported(content, PATH, log, target="x", marks=marks, citations=None)
    return made, shortly(log)


def test_marks_are_kept_or_lost() -> None:
    parts = Text("a", cache=MARK), Media("image", url="u", cache=MARK), Text("b")
    bare = Text("a"), Media("image", url="u"), Text("b")
    assert with_marks(parts) == (bare, [("cache", LOST, "/0/cache"), ("cache", LOST, "/1/cache")])
    assert with_marks(parts, marks=True) == (parts, [])
    assert with_marks((Text("a", cache=MARK),)) == ("a", [("cache", LOST, "/0/cache")])
    log = Log()
    with_supported(parts, PATH, log, target="x", marks=False, citations=None)
    assert log.losses[0].detail == "x has no place for a cache mark"


@pytest.mark.parametrize(
    ("citations", "left", "severity", "words"),
    [
        ((HERE,), (HERE,), None, ""),
        ((HERE, THERE), (HERE,), CHANGED, "1 of 2 sources"),
        ((THERE, HERE, THERE), (HERE,), CHANGED, "2 of 3 sources"),
        ((THERE,), None, LOST, "the sources"),
    ],
)
def test_citations_are_kept_or_lost(
    citations: tuple[Citation, ...], left: tuple[Citation, ...] | None, severity: Severity | None, words: str
) -> None:
    log = Log()
    cited = (Text("a", citations=citations), PICTURE)
    made = with_supported(cited, PATH, log, target="x", marks=True, citations=OfAddresses())
    assert made == (Text("a", citations=left), PICTURE)
    detail = f"x has no place for {words} of this text"
    assert log.losses == (
        [Loss(LossCode.CITATIONS, severity, f"{PATH}/0/citations", detail)] if severity is not None else []
    )


def test_a_target_without_citations_loses_all() -> None:
    assert with_marks((PICTURE, Text("a", citations=(HERE, THERE)))) == (
        (PICTURE, Text("a")),
        [("citations", LOST, "/1/citations")],
    )
    assert with_marks((Text("a", citations=(HERE,)),)) == ("a", [("citations", LOST, "/0/citations")])


def test_a_target_whose_texts_are_not_parts_has_no_marks_and_no_citations() -> None:
    content = (Text("a", cache=MARK, citations=(HERE,)),)
    assert narrowed(content) == ("a", [("cache", LOST, "/0/cache"), ("citations", LOST, "/0/citations")])
    assert narrowed(content, Text) == (content, [])


def test_texts_keep_the_other_keys_of_one_format() -> None:
    mine, other = Text("a", extras={"x": {"k": 1}}), Text("b", extras={"y": {"k": 1}})
    assert with_own_extras((mine, other), "x") == (mine, Text("b"))
    assert with_own_extras((other,), "x") == "b"
    assert with_own_extras((mine,), "x") == (mine,)
    assert with_own_extras((Text("a"), Text("b")), "x") == (Text("a"), Text("b"))
    assert with_own_extras("a", "x") == "a"
    empty = Text("a", extras={"x": {}})
    assert with_own_extras((empty, PICTURE), "x") == (Text("a"), PICTURE)


def test_fitting_a_content_does_all_of_this() -> None:
    content = (Text("a", {"x": {"k": 1}}, cache=MARK), TOOLS, PICTURE, Text("b", {"y": {}}, citations=(HERE,)))
    log = Log()
    assert fitted(content, (Text,), PATH, log, target="x") == (
        Text("a", {"x": {"k": 1}}, cache=MARK),
        Text("b"),
    )
    assert shortly(log) == [("citations", LOST, "/3/citations"), ("media", LOST, "/2")]
    unmarked = fitted(content, (Text,), PATH, log, target="x", marks=False, hoisted=False, citations=OfAddresses())
    assert unmarked == (Text("a", {"x": {"k": 1}}), Text("b", citations=(HERE,)))
    assert shortly(log)[2:] == [("cache", LOST, "/0/cache"), ("tools", LOST, "/1"), ("media", LOST, "/2")]
    able = fitted((PICTURE, Text("a")), (Media,), PATH, Log(), target="x", able=lambda part: False)
    assert able == "a"


def test_a_message_that_cannot_be_private_is_left_out() -> None:
    log = Log()
    drop_private(log, 3, "x")
    detail = "x cannot keep text of this role private, so it leaves it out"
    assert log.losses == [Loss(LossCode.MESSAGE, LOST, "/messages/3", detail)]


@pytest.mark.parametrize(("blank", "called"), [("", "an empty text"), (" \n", "a text of white space")])
def test_the_loss_of_a_text_that_is_left_out_names_its_kind(blank: str, called: str) -> None:
    document = Transcript((Message("user", (Text("a"), Text(blank))),))
    [loss] = write(document, "anthropic").losses
    assert (loss.path, loss.detail) == ("/messages/0/content/1", f"anthropic has no place for {called}")
    assert loss.severity is LAYOUT


@pytest.mark.parametrize(
    ("blank", "severity"),
    [(Text(""), LAYOUT), (Text(" ", extras={"y": {"k": 1}}), LOST), (Text("", cache=MARK), LOST)],
    ids=["bare", "with further keys", "with a mark"],
)
def test_a_refused_text_is_lost_with_its_other_members(blank: Text, severity: Severity) -> None:
    parts = (PICTURE, blank, Text("a"))
    assert narrowed(parts, Media, Text, refused={"", " "}.__contains__) == (
        (PICTURE, Text("a")),
        [("content", severity, "/1")],
    )
    assert narrowed(parts, Media, Text, refused="b".__eq__) == (parts, [])


EMPTY = Message("user", "")


@pytest.mark.parametrize(
    ("message", "losses"),
    [
        (EMPTY, [("message", LAYOUT, "/messages/2")]),
        (replace(EMPTY, content=(Text(""), Text(" "))), [("message", LAYOUT, "/messages/2")]),
        (replace(EMPTY, content=()), [("message", LAYOUT, "/messages/2")]),
        (replace(EMPTY, content=(Text(""), PICTURE)), [("message", LOST, "/messages/2")]),
        (replace(EMPTY, name="bob"), [("message", LOST, "/messages/2")]),
        (replace(EMPTY, end=None), [("message", LOST, "/messages/2")]),
        (replace(EMPTY, weight=0), [("message", LOST, "/messages/2")]),
        (replace(EMPTY, signature=Signature("c2ln")), [("message", LOST, "/messages/2")]),
        (replace(EMPTY, cache=MARK), [("message", LOST, "/messages/2")]),
        (replace(EMPTY, extras={"y": {"k": 1}}), [("message", LOST, "/messages/2")]),
        (
            replace(EMPTY, content=(Foreign("y", {"type": "speech", "text": "Hello"}),)),
            [("message", LOST, "/messages/2"), ("emptied", LOST, "/messages/2/content")],
        ),
        (
            replace(EMPTY, extras={"y": {"reasoning": "Hm."}}),
            [("message", LOST, "/messages/2"), ("emptied", LOST, "/messages/2/extras")],
        ),
    ],
    ids=str,
)
def test_an_empty_message_that_is_left_out_is_layout_unless_it_has_more(
    message: Message, losses: list[tuple[str, str, str]]
) -> None:
    log = Log()
    drop_empty(message, 2, log, "it is empty", target="x")
    assert shortly(log) == losses
    emptied = "the reader understood nothing of this text, and x would have nothing in its place"
    assert [loss.detail for loss in log.losses] == ["it is empty", emptied][: len(losses)]


PASSAGES = Passages(("p", "q"), title="t")


@pytest.mark.parametrize(
    ("parts", "supported", "made", "places"),
    [
        ((PASSAGES,), (), "P", [""]),
        ((Text("a"), PASSAGES, Text("b")), (), "a\n\nP\n\nb", [""]),
        ((Text("a\n"), PASSAGES, Text("\nb")), (), "a\nP\nb", [""]),
        ((Text("a"), PASSAGES, PASSAGES), (), "a\n\nP\n\nP", ["", ""]),
        ((PICTURE, PASSAGES, Text("b")), (Media,), (PICTURE, Text("P\n\nb")), [""]),
        ((Text("a"), PASSAGES, Text("b")), (Text,), (Text("a"), Text("P"), Text("b")), ["/1"]),
        ((Text("a"), replace(PASSAGES, cache=MARK)), (Text,), (Text("a"), Text("P", cache=MARK)), ["/1"]),
        ((PASSAGES, Text("b")), (Text, Passages), (PASSAGES, Text("b")), []),
    ],
    ids=str,
)
def test_passages_that_become_text_are_separated_from_the_text_around_them(
    parts: tuple[Part, ...], supported: tuple[type[Any], ...], made: Content, places: list[str]
) -> None:
    text = as_text(PASSAGES) or ""
    expected = [
        replace(part, text=part.text.replace("P", text)) if isinstance(part, Text) else part for part in parts_of(made)
    ]
    log = Log()
    assert parts_of(narrow(parts, supported, PATH, log, target="x")) == tuple(expected)
    detail = "x writes a document in passages as plain text"
    expected_losses = [Loss(LossCode.CONTENT, CHANGED, f"{PATH}{place}", detail) for place in places]
    assert log.losses[: len(expected_losses)] == expected_losses
    assert all(loss.detail.startswith("x joins texts") for loss in log.losses[len(expected_losses) :])
