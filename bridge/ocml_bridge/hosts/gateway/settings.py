"""Define the settings of a gateway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from ...loss import LossClass, LossCode
from ...model import Json
from ...profiles import Profile, profile
from ...report.policy import DEFAULT_POLICY, LossPolicy
from .answers.preambles import PreambleMode
from .upstreams.drivers import DriverName

UNSEEN: Final = (LossCode.MEDIA, LossCode.FOREIGN_PART)
"""The codes of losses of parts that the model then never sees."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings for one upstream, and for requests to it.

    Attributes:
        upstream: the base URL of the completions server, up to and with `/v1`.
        format: the id of the model's format; with `harmony-tokens`, prompts and answers are token ids. None for that of
            the profile, and for Harmony without a profile.
        profile: the profile that prompts the model and reads its answers; None for the format's own.
        reasoning: the key that private reasoning is passed on under; None, the default, keeps it private
            (OpenChatML 2.2 §5). Naming a key is the opt-in that §4 asks for.
        preambles: how text of the model to the user before a call is passed on: as `content`, as `reasoning` (private
            as reasoning is) or as `nothing`. Streaming agents take content for the end of the turn.
        policy: which losses a request may have on its way to a prompt; one with others is answered with status 400.
            Media are refused unless it names them.
        special_tokens: further special tokens of the model's vocabulary, which clients' content must not make.
        driver: the name of the driver; `auto` chooses it by asking the upstream.
        context: the length of the model's context in tokens, if the upstream does not report it, or reports it wrongly.
        body: further members for every request to the upstream; null removes one that the driver sends.
        api_key: sent to the upstream in place of the client's; None passes the client's on.
        max_answer: the maximal size of an upstream's answer in bytes.
        max_choices: the maximal number of answers to a request.
        models: the names of the models that it answers for; empty for all that no other upstream answers for.
        name: its name in logs and metrics; "" for its URL.
        connect_timeout: the time limit for connecting to the upstream, in seconds.
        read_timeout: the time limit for the upstream's next chunk, in seconds.
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
        """Return the policy, which refuses losses of `UNSEEN` parts unless it names them or their class.

        Otherwise the model would answer a question about a picture that it has not seen.
        """
        named = {*self.policy.allow, *self.policy.refuse}
        if LossClass.CONTENT in named:
            return self.policy
        return replace(self.policy, refuse=(*self.policy.refuse, *(code for code in UNSEEN if code not in named)))

    @property
    def model(self) -> Profile:
        """Return the profile that makes prompts and reads answers."""
        return profile(self.profile, self.format or (_FORMAT if self.profile is None else None))


_FORMAT: Final = "harmony"
"""The format of a model for which none is named."""
