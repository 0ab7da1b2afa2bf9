"""List the special tokens of the ChatML family's tokenizers, other than the tokens of frames.

They have no meaning to the readers of this project, but they have one to a model. So a writer breaks them in content
that comes from another format; content that was read in the same format keeps them.
"""

from __future__ import annotations

from typing import Final

from ..formats.boundary import BEGINS, ENDS, TURN_ENDS

EDGES: Final = tuple(token for token in (*BEGINS, *ENDS) if token.startswith("<"))
"""The tokens at the beginning and the end of a whole text."""
_TEXT_ENDS: Final = tuple(token for token in ENDS if token.startswith("<|"))
"""The tokens that end a text and nothing else: `</s>` is also a tag of HTML."""
THINKING: Final = ("<think>", "</think>")
TOOLS: Final = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
MEDIA: Final = tuple(
    f"<|{name}|>"
    for name in (
        *("vision_start", "vision_end", "vision_pad", "image_pad", "video_pad"),
        *("object_ref_start", "object_ref_end", "box_start", "box_end", "quad_start", "quad_end"),
        *("audio_start", "audio_end", "audio_pad", "audio_bos", "audio_eos", "vision_bos", "vision_eos"),
        *("AUDIO", "IMAGE", "VIDEO"),
    )
)
CODE: Final = tuple(
    f"<|{name}|>"
    for name in (
        *("fim_prefix", "fim_middle", "fim_suffix", "fim_pad", "repo_name", "file_sep"),
        *("fim_pre", "fim_mid", "fim_suf"),
        *("thought_begin", "thought_end", "tool_call", "execute_start", "execute_end"),
    )
)
OTHERS: Final = ("<unk>", "<pad>", "<|pad|>", "<|im_sep|>", "<|endofprompt|>")

CHATML: Final = (*EDGES, *TURN_ENDS, *THINKING, *TOOLS, *MEDIA, *CODE, *OTHERS)
"""All of them: of Qwen and its relatives, InternLM2, Yi, Phi, SmolLM, LFM2, MiniCPM, and OpenAI's first ones."""


def end_of_text_in(text: str) -> str | None:
    """Return the first kind of token in an answer with which a model ends a text, or None; fast if there is none."""
    return next((token for token in _TEXT_ENDS if token in text), None) if "<|" in text else None


def end_inside(token: str) -> str:
    """Return the sentence of the finding about such a token."""
    return f"{token} inside a message is read as text; the answer may end there"
