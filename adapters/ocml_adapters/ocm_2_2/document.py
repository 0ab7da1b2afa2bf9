"""The document header (§2): YAML in front of the first frame; and where that begins."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.model import Header, Json, Settings, replace
from ocml_bridge.model.codec import to_json
from ocml_bridge.model.settings import READERS, settings_of

from . import flow
from .syntax import MAX_HEADER, START, START_LINE, VERSION

FIELDS: Final = ("capabilities", "profiles")
MODEL: Final = "model"
GENERATION: Final = "generation_settings"
"""The keys of a header whose values are the settings of the conversation."""
_FENCE: Final = re.compile(
    r"\A\s*(?:---[ \t]*\n|```ya?ml[ \t]*\n)?(.*?)(?:^(?:---|\.\.\.|```)[ \t]*\n?)?\s*\Z", re.S | re.M
)


REMEMBERED: Final = 1000
"""The longest header that is remembered, in characters."""
values_of: Final[Callable[[Settings], tuple[Any, ...]]] = attrgetter(*Settings.__match_args__)
"""What settings are made of, for what remembers them: in the order in which they take it."""


class DocumentHeader(NamedTuple):
    """What a header says.

    Attributes:
        header: the header itself.
        settings: the model, and what of `generation_settings` has a field.
        others: the generation settings that have none.
    """

    header: Header
    settings: Settings | None = None
    others: dict[str, Json] | None = None


PLAIN: Final = DocumentHeader(Header(version=VERSION))
"""The header that every transcript gets, and that says nothing more."""


def parse_header(text: str) -> DocumentHeader | None:
    """The header that a text is; None where it is no YAML mapping.

    Raises:
        BridgeError: E-PARSE-HEADER where it is too long, nests too deep, or uses YAML's aliases.
    """
    if len(text) > MAX_HEADER:
        raise _too_long()
    # Imported here, as in `flow`: YAML takes longer to import than most texts take to convert.
    from .yamltext import load

    found = _FENCE.match(text)
    loaded = load(found[1] if found else text)
    if loaded is None:
        return None
    values, spelled = loaded
    version = spelled.get("version")
    if version is not None:
        del values["version"]
    return _header_of(version, values)


def _header_of(version: str | None, values: dict[str, Json]) -> DocumentHeader:
    """The header with a version and some more values, which are taken from."""
    settings, others = _settings(values)
    known = {name: values.pop(name) for name in FIELDS if name in values}
    return DocumentHeader(Header(version=version, extras=values or None, **known), settings, others)


def _settings(values: dict[str, Json]) -> tuple[Settings | None, dict[str, Json] | None]:
    """Take the settings out of a header's values; what is none stays there, or is another generation setting."""
    asked: Json = values.pop(GENERATION, None)
    if asked is not None and not isinstance(asked, dict):
        values[GENERATION] = asked
        asked = None
    settings, others = settings_of({key: value for key, value in cast("_Values", asked or {}).items() if key != MODEL})
    if isinstance(asked, dict) and MODEL in asked:
        others[MODEL] = cast("_Values", asked)[MODEL]
    if isinstance(values.get(MODEL), str):
        settings = replace(settings or Settings(), model=values.pop(MODEL))
    return settings, others or None


_Values = dict[str, Json]


def _too_long() -> BridgeError:
    """The error of a header that is too long to be read."""
    return BridgeError(ErrorCode.PARSE_HEADER, f"the header is longer than {MAX_HEADER} characters", offset=0)


def render_header(said: DocumentHeader) -> str:
    """The header as YAML, one key a line, `version` first."""
    version = said.header.version
    lines = [] if version is None else [f"version: {_version(version)}"]
    lines += [f"{flow.spell(key)}: {flow.spell(value)}" for key, value in _values_of(said).items()]
    return "".join(f"{line}\n" for line in lines)


def read_back(said: DocumentHeader) -> DocumentHeader | None:
    """What `parse_header` makes of a header as `render_header` writes it; YAML is read only where values are not plain.

    Raises:
        BridgeError: as `parse_header`.
    """
    text, version, values = render_header(said), said.header.version, _values_of(said)
    if version is None or len(text) > MAX_HEADER or flow.plain([version, values]) is None:
        return parse_header(text)
    return _header_of(version, values)


def _values_of(said: DocumentHeader) -> dict[str, Json]:
    """What a header says beside the version, in the order in which it is written."""
    header, settings = said.header, said.settings or Settings()
    known: dict[str, Json] = {} if settings.model is None else {MODEL: settings.model}
    if asked := {**_generation(settings), **(said.others or {})}:
        known[GENERATION] = asked
    known |= {name: value for name in FIELDS if (value := getattr(header, name)) is not None}
    rest = {**known, **(header.extras or {}), **known}
    if header.version is not None:
        rest.pop("version", None)
    return rest


def _generation(settings: Settings) -> dict[str, Json]:
    """The generation settings, by the names of the canonical form; a tool choice that names no tool is a word."""
    asked = {name: to_json(getattr(settings, name)) for name in READERS if name != MODEL}
    choice = settings.tool_choice
    if choice is not None and not choice.names:
        asked["tool_choice"] = choice.mode
    return {name: value for name, value in asked.items() if value is not None}


def _version(version: str) -> str:
    return version if re.fullmatch(r"[0-9]+\.[0-9]+", version) else flow.spell(version)


class Front:
    """Looks for the first frame: at a line that begins with one, as the header itself names tokens (reading 1).

    A `<|start|>` earlier in a line is the first frame's where what stands before the line is no header, and at once
    where nothing but white space stands before it.

    Attributes:
        text: what stands before the first frame, once that is known.
        header: the document header that it is; None where it is none.
    """

    def __init__(self) -> None:
        self.text = ""
        self.header: DocumentHeader | None = None
        self._pieces: list[str] = []
        self._blank = True
        self._early = -1
        self.size = 0
        """How many characters wait for the first frame."""

    def feed(self, text: str) -> str | None:
        """Take more text, not cut inside a token; the text from the first frame on, once it is known where it begins.

        Raises:
            BridgeError: E-PARSE-HEADER where a header is longer than `MAX_HEADER`, nests too deep, or uses YAML's
                aliases.
        """
        # Behind text that ends inside a line, the first character does not begin one.
        line = START_LINE.search(text, int(bool(self._pieces) and not self._pieces[-1].endswith("\n")))
        early = text.find(START) if self._early < 0 else -1
        self._pieces.append(text)
        if early >= 0:
            self._early = self.size + early
            self._blank = self._blank and not text[:early].strip()
            if self._blank:
                return self._split("".join(self._pieces), self._early)
        else:
            self._blank = self._blank and not text.strip()
        if line is not None:
            return self._decide("".join(self._pieces), self.size + line.start())
        self.size += len(text)
        if self.size > MAX_HEADER and not self._blank:
            raise _too_long()
        return None

    def finish(self) -> str:
        """There is no more text: that from the first frame on, "" where there is none.

        Raises:
            BridgeError: as `feed`.
        """
        text = "".join(self._pieces)
        return self._decide(text, len(text))

    def _decide(self, text: str, at: int) -> str:
        rest = self._split(text, at)
        return rest if self.header is not None or self._early < 0 else self._split(text, self._early)

    def _split(self, text: str, at: int) -> str:
        self.text = text[:at]
        self.header = parse_header(self.text) if self.text.strip() else None
        return text[at:]
