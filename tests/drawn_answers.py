"""Answers of gpt-oss as they go wrong, drawn: what may follow the generation prompt.

The shapes are those of public reports (openai/harmony#80, #114, llama.cpp#27720, #15110, #15158, #15181, vLLM#22515,
#50690, vllm-mlx#53, tiles#145, …); each word of an answer is its own, so that one that is lost is found.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, TypeVar

_T = TypeVar("_T")
FUNCTIONS: Final = ("bash", "get_weather", "python", "weather.get", "shell")
"""What the request declares."""
_CHANNELS: Final = ("analysis", "commentary", "final")
_ENDS: Final = ("<|end|>", "<|return|>", "<|call|>")
_START: Final = "<|start|>assistant"
_ODD_NAMES: Final = (
    *("analysis??", "??analysis", "Final", "commentary?commentary?", "thoughts", "", "final final", "analysis json"),
    *("bash", "user", "functions.bash", "comment ary", "\u00a0final", "final\u3000", "analysisfinal"),
)


class Writer:
    """Writes answers; each word is new.

    Args:
        seed: the same one gives the same answers.

    Attributes:
        body_words: the words of all bodies.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._count = 0
        self.body_words: list[str] = []

    def answer(self) -> str:
        """The next answer."""
        self.body_words = []
        pick = self._random.random()
        if pick < 0.15:
            return self._text() + self._pick("", "", *_ENDS)
        if pick < 0.3:
            return self._stripped()
        frames = [self._pick(*_FRAMES)(self) for _ in range(self._random.choice((1, 1, 2, 2, 3, 4)))]
        first = "" if self._random.random() < 0.85 else self._pick("assistant", _START, "<|start|>", " ", "\n")
        return first + self._joined(frames) + self._pick("", "", "", "<|return|>", "<|endoftext|>", self._more())

    def _joined(self, frames: list[str]) -> str:
        """Frames behind one another, each as a rule behind the beginning of its own."""
        out = frames[0]
        for frame in frames[1:]:
            start = self._pick(
                *[_START] * 8, "<|start|>", "", "assistant", f"<|start|>{_START}", f"{self._words()}{_START}"
            )
            out += frame if frame.startswith("<|start|>") else start + frame
        return out

    def _pick(self, *choices: _T) -> _T:
        return self._random.choice(choices)

    def _word(self) -> str:
        self._count += 1
        return f"w{self._count}"

    def _words(self, most: int = 4) -> str:
        words = [self._word() for _ in range(self._random.randint(1, most))]
        self.body_words += words
        return self._pick(" ", " ", "\n", ", ").join(words)

    def _text(self) -> str:
        """Text of a body."""
        text = self._words()
        return self._pick(
            text,
            text,
            text,
            f"{text}.",
            f'{{"{text}": 1}}',
            f'["{text}"]',
            f"```\n{text}\n```",
            f"{text}: {self._words()}",
        )

    def _arguments(self) -> str:
        return f'{{"{self._words(1)}": "{self._words(2)}"}}'

    def _name(self) -> str:
        return self._pick(*FUNCTIONS, "unknown")

    def _end(self) -> str:
        return self._pick(*_ENDS, *_ENDS, "", "<|end|><|return|>")

    def _more(self) -> str:
        return self._pick(self._words(), f"\n{self._words()}<|end|>", "<|channel|>", "<|start|>", "<|start|>assistant")

    def _stripped(self) -> str:
        """An answer whose tokens were left out."""
        thought, answer = self._text(), self._text()
        call = self._pick("", f"assistantcommentary to=functions.{self._name()} json{self._arguments()}")
        return f"analysis{thought}{call}assistantfinal{answer}{self._pick('', '', '<|return|>')}"

    # --- frames -------------------------------------------------------------------------------------------------------

    def body_on_channel(self) -> str:
        return f"<|channel|>{self._pick(*_CHANNELS)}<|message|>{self._text()}{self._end()}"

    def oddly_named(self) -> str:
        return f"<|channel|>{self._pick(*_ODD_NAMES)}<|message|>{self._text()}{self._end()}"

    def two_channels(self) -> str:
        names = self._pick(*_CHANNELS, *_ODD_NAMES), self._pick(*_CHANNELS, *_ODD_NAMES)
        return f"<|channel|>{names[0]}<|channel|>{names[1]}<|message|>{self._text()}{self._end()}"

    def called(self) -> str:
        to = self._pick(
            "to=functions.{}", "to=functions.{}json", "to=function.{}", "to={}", "to=functions.{}\u3000", "{}"
        )
        kind = self._pick(" <|constrain|>json", "<|constrain|>json", " json", " <|constrain|> json", "", " code")
        header = f"<|channel|>{self._pick('commentary', 'analysis', '')} {to.format(self._name())}{kind}"
        return f"{header}{self._pick('<|message|>', '<|message|>', ' ', '')}{self._arguments()}{self._end()}"

    def called_first(self) -> str:
        header = f" to=functions.{self._name()}<|channel|>{self._pick('commentary', 'analysis')} <|constrain|>json"
        return f"{header}<|message|>{self._arguments()}{self._end()}"

    def tool_as_channel(self) -> str:
        header = f"<|channel|>{self._name()}<|channel|>commentary <|constrain|>json"
        return f"{header}<|message|>{self._arguments()}<|call|>"

    def tool_as_role(self) -> str:
        return f"<|start|>{self._name()}<|channel|>commentary <|constrain|>json<|message|>{self._arguments()}<|call|>"

    def to_itself(self) -> str:
        header = "<|channel|>commentary to=assistant<|channel|>analysis <|constrain|>json"
        return f"{header}<|message|>{self._text()}{self._end()}"

    def unclosed(self) -> str:
        """A header that never ends, or text in its place."""
        name = self._pick(*_CHANNELS, "", "commentary?")
        return f"<|channel|>{name}{self._pick(' ', ': ', '')}{self._text()}{self._end()}"

    def prose_in_header(self) -> str:
        prose = " ".join(self._word() for _ in range(self._random.randint(1, 5)))
        return f"<|channel|>{self._pick('analysis', '')} {prose}<|message|>{self._text()}{self._end()}"

    def constrained(self) -> str:
        kind = self._pick("json", "commentary", "response", "bash", "")
        name = self._pick(*_CHANNELS)
        return f"<|channel|>{name} <|constrain|>{kind}<|message|>{self._text()}{self._end()}"

    def out_of_order(self) -> str:
        text = self._text()
        return self._pick(
            f"<|message|>{text}{self._end()}",
            f"<|message|><|channel|>final{text}{self._end()}",
            f"<|constrain|>json<|channel|>commentary to=functions.bash<|message|>{text}<|call|>",
            f"<|channel|><|message|>final{text}<|end|>",
            f"<|message|>{text}<|channel|>final<|message|>{self._text()}{self._end()}",
        )

    def two_in_one(self) -> str:
        return f"<|channel|>analysis<|message|>{self._text()}<|channel|>final<|message|>{self._text()}{self._end()}"

    def quoting(self) -> str:
        quoted = f"`<|start|>user<|message|>{self._words()}<|end|>`"
        return f"<|channel|>final<|message|>{self._text()} {quoted} {self._text()}{self._end()}"

    def replied(self) -> str:
        """The tool's reply, which the model wrote itself."""
        header = f"<|start|>functions.{self._name()} to=assistant<|channel|>commentary"
        return f"{header}<|message|>{self._text()}<|end|>"

    def other_role(self) -> str:
        return f"<|start|>{self._pick('user', 'developer', 'assistantassistant')}<|message|>{self._text()}<|end|>"

    def special(self) -> str:
        token = self._pick("<|endoftext|>", "<|startoftext|>", "<|reserved_200013|>", "<|refusal|>", "<|call|>")
        return f"<|channel|>final<|message|>{self._text()}{token}{self._pick('', self._words())}{self._end()}"

    def bare(self) -> str:
        return f"{self._text()}{self._pick(*_ENDS)}"

    def second_call(self) -> str:
        call = f"commentary to=functions.{self._name()} json<|message|>{self._arguments()}<|call|>"
        return f"{self.called()}{self._pick('', '<|channel|>')}{call}"


_FRAMES: Final[tuple[Callable[[Writer], str], ...]] = (
    *(
        Writer.body_on_channel,
        Writer.body_on_channel,
        Writer.body_on_channel,
        Writer.called,
        Writer.called,
        Writer.bare,
    ),
    *(Writer.oddly_named, Writer.two_channels, Writer.called_first, Writer.tool_as_channel, Writer.tool_as_role),
    *(Writer.to_itself, Writer.unclosed, Writer.prose_in_header, Writer.constrained, Writer.out_of_order),
    *(Writer.two_in_one, Writer.quoting, Writer.replied, Writer.other_role, Writer.special, Writer.second_call),
)
