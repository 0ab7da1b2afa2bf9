"""Read Google AI Studio's saved prompts, which hold the messages of the user and the model as chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ...model import Json
from ..fitting import as_list, as_object, items_of, members_of, objects_of
from ..layout import Document, Object, Wording, misshapen
from ..trees import NODES, rest

PROMPT: Final = "chunkedPrompt"
SYSTEM: Final = "systemInstruction"
_FILES: Final = ("driveDocument", "driveImage", "driveVideo", "driveAudio", "youtubeVideo")
"""Members of chunks that name a file; its data is not in the prompt."""
_DATA: Final = ("inlineImage", "inlineData", "inlineFile", "inlineAudio", "inlineVideo")
_UNCHANGED: Final = ("executableCode", "codeExecutionResult", "functionCall", "functionResponse", "fileData")
"""Members of chunks that are parts of Gemini's under the same names."""


def is_ai_studio(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold chunks that have roles."""
    chunks = items_of(members_of(fields.get(PROMPT)).get("chunks"))
    return bool(chunks) and all(isinstance(members_of(each).get("role"), str) for each in chunks)


def read_ai_studio(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation as contents of Gemini; successive chunks of one role are parts of one content.

    Raises:
        BridgeError: OCB-SHAPE if no chunk has content.
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
        nodes.append(_metadata(each))
    if not contents:
        raise misshapen(f"/{PROMPT}/chunks", "a chunk with a text at least")
    instruction = as_object(fields.get(SYSTEM) or {})
    if instruction is None:
        raise misshapen(f"/{SYSTEM}", "an object with the system's text")
    name, system = _system(instruction)
    document = {**({SYSTEM: {"parts": system}} if system else {}), "contents": contents}
    other_members = rest(prompt, ("chunks",))
    extra_columns = {
        NODES: [each for each in nodes if each],
        PROMPT: other_members,
        SYSTEM: rest(instruction, (name, "role")),
    }
    return [Document(document, extra_columns={name: each for name, each in extra_columns.items() if each})]


def _system(instruction: Object) -> tuple[str, list[Json]]:
    """Return the parts of the system instruction, and the name of the member that holds them; no name if none does."""
    parts, text = as_list(instruction.get("parts")), instruction.get("text")
    if parts:
        return "parts", parts
    return ("text", [{"text": text}] if text else []) if isinstance(text, str) else ("", [])


def _parts(chunk: Object) -> list[Object]:
    """Return the content of a chunk as parts of Gemini's: the chunk's own parts, if they contain its text."""
    own_parts = objects_of(chunk.get("parts"))
    text = chunk.get("text")
    thought = {"thought": True} if chunk.get("isThought") is True else {}
    out: list[Object] = []
    for name in _FILES:
        file = as_object(chunk.get(name))
        if file is not None and isinstance(file.get("id"), str):
            out.append({"fileData": {"fileUri": file["id"]}})
    out += [{"inlineData": chunk[name]} for name in _DATA if as_object(chunk.get(name)) is not None]
    out += [{name: chunk[name]} for name in _UNCHANGED if as_object(chunk.get(name)) is not None]
    if _contain_text(own_parts, text):
        return [
            *out,
            *({**each, **thought} for each in own_parts if each.get("text") != "" or each.keys() - {"text", "thought"}),
        ]
    return [*out, {"text": text, **thought}] if isinstance(text, str) and text else out


def _contain_text(parts: Sequence[Object], text: Json) -> bool:
    """Return whether parts contain the text of their chunk."""
    whole = "".join(str(each.get("text") or "") for each in parts)
    return bool(parts) and (not text or whole == text)


def _metadata(chunk: Object) -> Object:
    """Return the remaining members of a chunk; of a file, its kind."""
    own_parts = objects_of(chunk.get("parts"))
    known = ["role", "text", "isThought", *_DATA, *_UNCHANGED]
    known += ["parts"] if _contain_text(own_parts, chunk.get("text")) else []
    return rest(chunk, known)
