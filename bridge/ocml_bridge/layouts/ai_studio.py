"""Google AI Studio's saved prompts: what a person and the model say, in chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ..model import Json
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen
from .trees import NODES, rest

PROMPT: Final = "chunkedPrompt"
SYSTEM: Final = "systemInstruction"
_FILES: Final = ("driveDocument", "driveImage", "driveVideo", "driveAudio", "youtubeVideo")
"""Members of chunks that name a file; it is not in the prompt."""
_DATA: Final = ("inlineImage", "inlineData", "inlineFile", "inlineAudio", "inlineVideo")
_AS_THEY_ARE: Final = ("executableCode", "codeExecutionResult", "functionCall", "functionResponse", "fileData")
"""Members of chunks that are parts of Gemini's, under the same names."""


def is_ai_studio(fields: Object, wording: Wording) -> bool:
    """Whether chunks stand there that say whose they are."""
    chunks = as_list((as_object(fields.get(PROMPT)) or {}).get("chunks"))
    return bool(chunks) and all(isinstance((as_object(each) or {}).get("role"), str) for each in chunks or [])


def read_ai_studio(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation in the words of Gemini: chunks that one says one after the other are parts.

    Raises:
        BridgeError: OCB-SHAPE where nothing is said.
    """
    prompt = cast("Object", fields[PROMPT])
    contents: list[Object] = []
    nodes: list[Object] = []
    for each in cast("list[Object]", prompt["chunks"]):
        parts = _parts(each)
        if parts and contents and contents[-1]["role"] == each["role"]:
            contents[-1]["parts"] += parts
        elif parts:
            contents.append({"role": each["role"], "parts": parts})
        nodes.append(_about(each, parts))
    if not contents:
        raise misshapen(f"/{PROMPT}/chunks", "a chunk with a text at least")
    system = _system(fields.get(SYSTEM))
    document = {**({SYSTEM: {"parts": system}} if system else {}), "contents": contents}
    more = rest(prompt, ("chunks",))
    beside = {NODES: [each for each in nodes if each], PROMPT: more}
    return [Document(document, beside={name: each for name, each in beside.items() if each})]


def _system(value: Json) -> list[Json]:
    """The parts of what the system says."""
    found = as_object(value) or {}
    text = found.get("text")
    return as_list(found.get("parts")) or ([{"text": text}] if isinstance(text, str) and text else [])


def _parts(chunk: Object) -> list[Object]:
    """What a chunk says, as parts of Gemini's: those that it has, where they say its text."""
    given = [as_object(each) or {} for each in as_list(chunk.get("parts")) or []]
    text = chunk.get("text")
    thought = {"thought": True} if chunk.get("isThought") is True else {}
    out: list[Object] = []
    for name in _FILES:
        file = as_object(chunk.get(name))
        if file is not None and isinstance(file.get("id"), str):
            out.append({"fileData": {"fileUri": file["id"]}})
    out += [{"inlineData": chunk[name]} for name in _DATA if as_object(chunk.get(name)) is not None]
    out += [{name: chunk[name]} for name in _AS_THEY_ARE if as_object(chunk.get(name)) is not None]
    if _say_text(given, text):
        return [
            *out,
            *({**each, **thought} for each in given if each.get("text") != "" or each.keys() - {"text", "thought"}),
        ]
    return [*out, {"text": text, **thought}] if isinstance(text, str) and text else out


def _say_text(parts: Sequence[Object], text: Json) -> bool:
    """Whether parts say the text that stands beside them."""
    whole = "".join(str(each.get("text") or "") for each in parts)
    return bool(parts) and (not text or whole == text)


def _about(chunk: Object, parts: Sequence[Object]) -> Object:
    """What else a chunk says; of a file, what kind it is of."""
    given = [as_object(each) or {} for each in as_list(chunk.get("parts")) or []]
    known = ["role", "text", "isThought", *_DATA, *_AS_THEY_ARE]
    known += ["parts"] if _say_text(given, chunk.get("text")) else []
    return rest(chunk, known)
