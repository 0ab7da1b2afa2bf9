"""OpenAI's ChatML v0: raw text, and its list of tokens and strings."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Kind
from ocml_bridge.lazy import Lazy
from ocml_bridge.prompting import Profile

from .syntax import HOME, OPENAI


def _profile(name: str, models: tuple[str, ...], templates: dict[str, str]) -> Profile:
    """A profile, given the name of its function, and of each template that it was held to the sha256 by its name."""
    make = Lazy(f"{__name__}.profile:{name}")
    return Profile(make, models, templates=templates, shows_reasoning=True, reads_with_tools=True)


_PROFILES = {
    "qwen2.5": _profile(
        "qwen2_5",
        ("Qwen2.5",),
        {"Qwen-Qwen2.5-7B-Instruct.jinja": "cd8e9439f0570856fd70470bf8889ebd8b5d1107207f67a5efb46e342330527f"},
    ),
    "qwen3": _profile(
        "qwen3",
        ("Qwen3",),
        {
            "qwen3.jinja": "a55ee1b1660128b7098723e0abcd92caa0788061051c62d51cbe87d9cf1974d8",
            "Qwen-Qwen3-0.6B.jinja": "87a2728cb8dc9fe424d624542f6060ec05a1d285ebbec578bb078900e33396b5",
        },
    ),
    "qwen3-2507": _profile(
        "qwen3_2507",
        (
            "Qwen3-2507-Instruct",
            "Qwen3-VL",
        ),
        {"qwen3_vl.jinja": "3636d0f0bd6bef02654cdffdc447b79cb2cef8ab02cc75267345946291a489e4"},
    ),
    "qwen3-coder": _profile(
        "qwen3_coder",
        ("Qwen3-Coder",),
        {"Qwen3-Coder.jinja": "d287fb2edf144207f868ae1b282755dc19db2a3f1c5b3a3d57e9e5abffa98392"},
    ),
    "qwen3.5": _profile(
        "qwen3_5",
        ("Qwen3.5",),
        {"qwen3_5_think.jinja": "a4aee8afcf2e0711942cf848899be66016f8d14a889ff9ede07bca099c28f715"},
    ),
    "nemotron-3": _profile(
        "nemotron_3",
        (
            "Nemotron-3-Nano",
            "Nemotron-3-Super",
        ),
        {
            "nemotron_3_nano.jinja": "ab7813c3abdd9cb655905a410728b26c7884eca45ddfab8d9f931553485a7862",
            "nemotron_3_super.jinja": "575fb74f54ed264df9047d0ecce3c98938aae953fb4f50356675706264cbb68a",
        },
    ),
    "step-3.5": _profile(
        "step_3_5",
        ("Step-3.5-Flash",),
        {"stepfun-ai-Step-3.5-Flash.jinja": "b18b99dff7261214c43e0402cba9f573e3240be6f9bb7ccaa54bb8df97e49dca"},
    ),
    "lfm2": _profile(
        "lfm2", ("LFM2",), {"LFM2-8B-A1B.jinja": "2294f49b51a0b9a1b0194add3f124237b5bd986599f43180eec49bba4de01365"}
    ),
    "lfm2.5": _profile(
        "lfm2_5",
        ("LFM2.5",),
        {"LFM2.5-8B-A1B.jinja": "6d65c8804847ad74eea912dd7eca3dc1cf7a457b53a77f47d841a14121910963"},
    ),
}

ADAPTER = Adapter(
    id="chatml",
    title="ChatML",
    kind=Kind.TEXT,
    home=HOME,
    reads_units=Lazy(f"{__name__}.text_reader:TextReader"),
    writes_units=Lazy(f"{__name__}.units:frames_writer"),
    sniff=Lazy(f"{__name__}.sniff:sniff_text"),
    split=Lazy(f"{__name__}.reader:split_text"),
    dialects=(OPENAI, "hermes", "nous", "qwen-xml", "lfm2"),
    dialect_of=Lazy(f"{__name__}.around:dialect_of"),
    decoders={"chatml": Lazy(f"{__name__}.stream:decoder")},
    encoders={"chatml": Lazy(f"{__name__}.encode:encoder")},
    added_tokens=Lazy(f"{__name__}.syntax:added_tokens"),
    profiles=_PROFILES,
)

JSON = Adapter(
    id="chatml-json",
    title="ChatML as a list of tokens and strings",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:ListReader"),
    writes_units=Lazy(f"{__name__}.units:ListFrames"),
    sniff=Lazy(f"{__name__}.sniff:sniff_list"),
    split=Lazy(f"{__name__}.reader:split_list"),
)
