"""What a gateway is told when it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from ...loss import LossClass, LossCode
from ...model import Json
from ...profiles import Profile, profile
from ...report.policy import DEFAULT_POLICY, LossPolicy
from .drivers import DriverName
from .preambles import PreambleMode

UNSEEN: Final = (LossCode.MEDIA, LossCode.FOREIGN_PART)
"""What a client says with a part of a message that the model never gets to see."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a gateway speaks to its upstream and to its clients.

    Attributes:
        upstream: the base URL of the completions server, up to and with `/v1`.
        format: what the model reads and writes: a format id; with `harmony-tokens`, prompts and answers are token ids.
            None for that of the profile, and for Harmony where there is none.
        profile: how the model is prompted, and its answers are read; None for the format's own way.
        reasoning: the key that private reasoning is passed on under; None, the default, keeps it private
            (OpenChatML 2.2 §5). Naming a key is the opt-in that §4 asks for.
        preambles: what becomes of what the model says to the user before it calls: `content`, `reasoning` (private as
            reasoning is) or `nothing`. Agents that stream take content for the end of the turn.
        policy: which losses a request may have on its way to a prompt; one with others is answered with status 400.
            Media are refused unless it names them.
        special_tokens: more special tokens of the model's vocabulary, which what clients say must not make.
        driver: how the upstream is asked; `auto` finds it out by asking the upstream what it is.
        context: how long the model's context is, in tokens, where the upstream does not say it, or says it wrongly.
        body: more members for every request to the upstream; null takes away one that the driver sends.
        api_key: sent to the upstream in place of the client's; None passes the client's on.
        max_answer: the largest answer that is read of the upstream, in bytes of what it sends.
        max_choices: the most answers that a request may ask for.
        models: the names of the models that it answers for; none stands for all that nobody else answers for.
        name: what it is called in logs and metrics; its URL where that is "".
        connect_timeout: how long to wait for a connection to the upstream, in seconds.
        read_timeout: how long to wait for the upstream's next chunk, in seconds.
    """

    upstream: str
    format: str | None = None
    profile: str | None = None
    reasoning: Literal["reasoning", "reasoning_content"] | None = None
    preambles: PreambleMode = "content"
    policy: LossPolicy = DEFAULT_POLICY
    special_tokens: tuple[str, ...] = ()
    driver: DriverName = "auto"
    context: int | None = None
    body: Mapping[str, Json] = field(default_factory=dict[str, Json])
    api_key: str | None = None
    max_answer: int = 64 * 1024 * 1024
    max_choices: int = 128
    models: tuple[str, ...] = ()
    name: str = ""
    connect_timeout: float = 10.0
    read_timeout: float = 300.0

    @property
    def refusing(self) -> LossPolicy:
        """The policy, which refuses `UNSEEN` that the prompt has no place for, unless it names them or their class.

        Else the model would answer a question about a picture that it has not seen.
        """
        named = {*self.policy.allow, *self.policy.refuse}
        if LossClass.CONTENT in named:
            return self.policy
        return replace(self.policy, refuse=(*self.policy.refuse, *(code for code in UNSEEN if code not in named)))

    @property
    def model(self) -> Profile:
        """What makes the prompts, and reads the answers."""
        return profile(self.profile, self.format or (_FORMAT if self.profile is None else None))


_FORMAT: Final = "harmony"
"""What a model reads and writes of which nothing is said."""
