"""ChatML: OpenAI's ChatML v0 as raw text and as a list, and the dialects of models that use its frames."""

from __future__ import annotations

from typing import Final

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind
from ocml_bridge.formats.prompting import ChatTemplate

from .syntax import FRAME_MARKS, HOME, HYPERCLOVA, MINICPM, OLMO, OPENAI


def _profile(name: str, models: tuple[str, ...], templates: dict[str, str]) -> ChatTemplate:
    """Return a profile.

    Args:
        name: the name of the profile.
        models: the models that it is for.
        templates: file name → sha256 of each public chat template that the profile is tested against.
    """
    make, guide = Lazy(f"{__name__}.profile:prompt", name), Lazy(f"{__name__}.guide:guide", name)
    return ChatTemplate(make, models, sources=templates, shows_reasoning=True, reads_with_tools=True, guide=guide)


_MODELS: Final[dict[str, tuple[tuple[str, ...], dict[str, str]]]] = {
    "chatml": (
        ("any model of ChatML without markup",),
        {"chatml.jinja": "e7a3df47d72feec173403ca6c63b3632edde3536fc0f5a4413ab432a2cfddb8d"},
    ),
    "smollm2": (
        ("SmolLM2",),
        {
            "HuggingFaceTB-SmolLM2-135M-Instruct.jinja": (
                "872be49dbb638044ad01b60388f48d469ff2980e5f0dccdc22ec907db54d0788"
            )
        },
    ),
    "qwen2": (
        ("Qwen2", "Qwen2-VL", "Qwen2.5-VL"),
        {
            "Qwen-Qwen2-0.5B-Instruct.jinja": "793202280c0910ab26bc6eb57c8212c2417324c6d8c4efd0d10d59092ab3e3eb",
            "qwen2_5_vl.jinja": "a0bc6f6fc7a29a80017a433e8f03a1cc1236e838a944a2d034295a60c4f2fddb",
        },
    ),
    "qwen2.5": (
        ("Qwen2.5",),
        {"Qwen-Qwen2.5-7B-Instruct.jinja": "cd8e9439f0570856fd70470bf8889ebd8b5d1107207f67a5efb46e342330527f"},
    ),
    "mimo": (
        ("MiMo-VL",),
        {"MiMo-VL.jinja": "10490379c20af484107413cc5fd93f6e587d0cb4364a183a89ab68849406b80d"},
    ),
    "qwq": (
        ("QwQ",),
        {
            "Qwen-QwQ-32B.jinja": "16488ad69d85833e5f66c50174f39834b688343337e9337f018deaa21b354117",
            "llama.cpp-Qwen-QwQ-32B.jinja": "5ed15374ce53e19a7798710736a2c9fe41c79f7385e8421a2080d6575a80ef1b",
        },
    ),
    "qwen3": (
        ("Qwen3",),
        {
            "qwen3.jinja": "a55ee1b1660128b7098723e0abcd92caa0788061051c62d51cbe87d9cf1974d8",
            "Qwen-Qwen3-0.6B.jinja": "87a2728cb8dc9fe424d624542f6060ec05a1d285ebbec578bb078900e33396b5",
        },
    ),
    "qwen3-2507": (
        ("Qwen3-2507-Instruct", "Qwen3-VL"),
        {
            "qwen3_instruct_2507.jinja": "64f85b198065d0fba2a81f37e10ed68161ce2c19a754c7100e67e0ca2ee9c326",
            "qwen3_vl.jinja": "3636d0f0bd6bef02654cdffdc447b79cb2cef8ab02cc75267345946291a489e4",
        },
    ),
    "qwen3-thinking": (
        ("Qwen3-2507-Thinking", "Qwen3-Next-Thinking"),
        {
            "Qwen-Qwen3-30B-A3B-Thinking-2507.jinja": (
                "3802169b2a02b81e6adb7ab4f64f91ff02db753c8c3a64a01c35192d3a61d8d7"
            )
        },
    ),
    "hermes": (
        ("Hermes 2 Pro", "Hermes 3"),
        {
            "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja": (
                "7ce09d55d3690e06c70b5c07228cc7e8c99c43a23cdc027762be4011efcdea6c"
            )
        },
    ),
    "qwen3-coder": (
        ("Qwen3-Coder",),
        {"Qwen3-Coder.jinja": "d287fb2edf144207f868ae1b282755dc19db2a3f1c5b3a3d57e9e5abffa98392"},
    ),
    "qwen3-coder-vllm": (
        ("Qwen3-Coder with the template that vLLM ships",),
        {"tool_chat_template_qwen3coder.jinja": "5a38bfa05833266240066aedc497decc9b00cc0d3e3b8cceea98cf530196ab06"},
    ),
    "qwen3.5": (
        ("Qwen3.5",),
        {"qwen3_5_think.jinja": "a4aee8afcf2e0711942cf848899be66016f8d14a889ff9ede07bca099c28f715"},
    ),
    "qwen3.5-small": (
        ("Qwen3.5-2B", "Qwen3.5-0.8B"),
        {"qwen3_5_nothink.jinja": "273d8e0e683b885071fb17e08d71e5f2a5ddfb5309756181681de4f5a1822d80"},
    ),
    "qwen3.6": (
        ("Qwen3.6",),
        {"qwen3_6.jinja": "e84f32a23fdda27689f868aa4a1a5621f41133e51a48d7f3efcbea2839574259"},
    ),
    "qwen3.8": (
        ("Qwen3.8",),
        {
            "qwen38_chat_template.jinja": "514d5304fcac63bda60e6faf860d5657010cf43cbc4c633c8bf678ee184e7a37",
            "qwen3_8.jinja": "c3cf9e34abf4f9e36c2d72165aa9c132d3e2a725b6c2586aaa3a8af9d7a81041",
        },
    ),
    "nemotron-3": (
        ("Nemotron-3-Nano", "Nemotron-3-Super"),
        {
            "nemotron_3_nano.jinja": "ab7813c3abdd9cb655905a410728b26c7884eca45ddfab8d9f931553485a7862",
            "nemotron_3_super.jinja": "575fb74f54ed264df9047d0ecce3c98938aae953fb4f50356675706264cbb68a",
        },
    ),
    "nemotron-3-ultra": (
        ("Nemotron-3-Ultra", "Nemotron-3.5-Lightning"),
        {
            "nemotron_3_ultra.jinja": "82753bef5cedc4932c1ed509b5c9a12be680fd86d1adb65bc3f7398d11c8eebc",
            "nemotron_3_5_lightning.jinja": "58933db77d3099b4f78c55a38347a72e1ea05b97d6bd8f38775303dc0194e0a9",
        },
    ),
    "step-3.5": (
        ("Step-3.5-Flash",),
        {"stepfun-ai-Step-3.5-Flash.jinja": "b18b99dff7261214c43e0402cba9f573e3240be6f9bb7ccaa54bb8df97e49dca"},
    ),
    "step-3.7": (
        ("Step-3.7-Flash",),
        {"StepFun3.7-Flash.jinja": "d8cc4a7b881287f121a91c0d17d6daa7cc260f9c4d2bdef0432441c2a371ed92"},
    ),
    "lfm2": (
        ("LFM2",),
        {
            "LFM2-8B-A1B.jinja": "2294f49b51a0b9a1b0194add3f124237b5bd986599f43180eec49bba4de01365",
            "lfm2_v2.jinja": "5504d163d879bfb6fd4135b7fa3d56768b2e69dd718338f7b146750289f46ab0",
        },
    ),
    "lfm2.5": (
        ("LFM2.5",),
        {
            "LFM2.5-8B-A1B.jinja": "6d65c8804847ad74eea912dd7eca3dc1cf7a457b53a77f47d841a14121910963",
            "lfm2_2_5_v2.jinja": "c5b67247c9f736f6c40eaa91ae1ef27dc67f5b041eedaadb97a1bea5030fb0ff",
        },
    ),
    "lfm2.5-vl": (
        ("LFM2.5-VL",),
        {"lfm2_2_5_vl.jinja": "86f4770449a4797c9b4212d110b0cc70fb993c1ce960095bcfb12eea22f61cca"},
    ),
    "bielik-3": (
        ("Bielik 3",),
        {"Bielik-11B-v3.0-Instruct.jinja": "a30b8c4531dda19196f35fb95ab84110dd8357acbd75eea3776c5543a70db5a9"},
    ),
    "minicpm5": (
        ("MiniCPM5",),
        {"openbmb-MiniCPM5-1B.jinja": "7451a05cf1e28a79d97d7c0bc951028c0b1915119bf9046acd06a0e3d931f47c"},
    ),
    "olmo-3": (
        ("Olmo-3-7B-Instruct",),
        {
            "allenai-Olmo-3-7B-Instruct.jinja": "f5186d42d99c8a0445d37fd8a6c7ccf07fe3e24a29ce622d8bd245da9507b12b",
            "allenai-Olmo-3-7B-Instruct-SFT.jinja": "edbb35ef1219ad2273f716feed08f535a868e167be5b5518adc37ab2bcb8afe6",
        },
    ),
    "olmo-3.1": (
        ("Olmo-3.1-32B-Instruct",),
        {"allenai-Olmo-3.1-32B-Instruct.jinja": "49a944c9814e130bd3cc80a2420c55ff22e24a4e4ba97009aa60000909b5eac3"},
    ),
    "hyperclova-x": (
        ("HyperCLOVA X SEED Think 14B",),
        {
            "naver-hyperclovax-HyperCLOVAX-SEED-Think-14B.jinja": (
                "69fd8d44f998a459476b1bfb3c047c4d60faaf5dfd0d45756ebef1be8f9ca255"
            )
        },
    ),
}
"""Profile → the models that it is for, and the public chat templates that it is tested against."""

ADAPTER = Adapter(
    id="chatml",
    title="ChatML",
    kind=Kind.TEXT,
    home=HOME,
    reads_units=Lazy(f"{__name__}.reader:TextReader"),
    writes_units=Lazy(f"{__name__}.plain:frames_writer"),
    sniff=Lazy(f"{__name__}.sniff:sniff_text"),
    split=Lazy(f"{__name__}.reader:split"),
    dialects=(OPENAI, "hermes", "nous", "qwen-xml", "lfm2", HYPERCLOVA, OLMO, MINICPM),
    dialect_of=Lazy(f"{__name__}.around:dialect_of"),
    frame_tokens=Lazy(f"{__name__}.syntax:frame_tokens"),
    decoders={"chatml": Lazy(f"{__name__}.stream:decoder")},
    encoders={"chatml": Lazy(f"{__name__}.encode:encoder")},
    added_tokens=Lazy(f"{__name__}.syntax:added_tokens"),
    profiles={name: _profile(name, *about) for name, about in _MODELS.items()},
    frame_marks=FRAME_MARKS,
)

JSON = Adapter(
    id="chatml-json",
    title="ChatML as a list of tokens and strings",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.lists:ListReader"),
    writes_units=Lazy(f"{__name__}.lists:ListFrames"),
    sniff=Lazy(f"{__name__}.sniff:sniff_list"),
    split=Lazy(f"{__name__}.lists:split"),
)
