"""Special tokens that tokenizers of the ChatML family have beside the tokens of frames.

None of our readers gives them a meaning inside of a message; a model does. So content that came from another format
must not hold them as they are; what stood there in the same format stays as it stood.
"""

from __future__ import annotations

from typing import Final

from ..formats.boundary import BEGINS, ENDS

EDGES: Final = tuple(token for token in (*BEGINS, *ENDS) if token.startswith("<"))
"""What begins and ends a whole text."""
THINKING: Final = ("<think>", "</think>")
TOOLS: Final = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
VISION: Final = tuple(
    f"<|{name}|>"
    for name in (
        *("vision_start", "vision_end", "vision_pad", "image_pad", "video_pad"),
        *("object_ref_start", "object_ref_end", "box_start", "box_end", "quad_start", "quad_end"),
    )
)
CODE: Final = tuple(
    f"<|{name}|>" for name in ("fim_prefix", "fim_middle", "fim_suffix", "fim_pad", "repo_name", "file_sep")
)
OTHERS: Final = ("<unk>", "<pad>", "<|im_sep|>", "<|endofprompt|>")

CHATML: Final = (*EDGES, *THINKING, *TOOLS, *VISION, *CODE, *OTHERS)
"""All of them: of Qwen and its relatives, InternLM2, Yi, Phi, SmolLM, and OpenAI's first models."""
