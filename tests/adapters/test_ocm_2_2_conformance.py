"""What OpenChatML 2.2 asks of messages, in its text and its JSON form: what breaks a MUST is never clean."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import BridgeError, FindingCode, read, write

CALL = (
    '<|start|>assistant to=functions.f call_id={}<|channel|>commentary<|constrain|>json<|message|>{{"a":1}}<|call|>\n'
)
REPLY = "<|start|>tool name=functions.f call_id={} to=assistant<|channel|>commentary<|message|>1<|end|>\n"


def text(*frames: str, header: str = "version: 2.2") -> str:
    return f"{header}\n" + "".join(frame if frame.endswith("\n") else f"{frame}\n" for frame in frames)


def found(source: Any) -> list[tuple[str, str]]:
    """Code and place of what a strict reader of `ocm-2.2`, or of its JSON form, refuses."""
    name = "ocm-2.2" if isinstance(source, str) else "ocm-2.2-json"
    reading = read(source, name)
    if reading.findings:
        with pytest.raises(BridgeError):
            read(source, name, strict=True)
    assert write(reading.transcript, name).output == source, "what was found is kept unchanged"
    return [(finding.code, finding.path) for finding in reading.findings]


def call(call_id: str) -> dict[str, Any]:
    return {"role": "assistant", "channel": "commentary", "tool_call": inner(call_id)}


def inner(call_id: str) -> dict[str, Any]:
    return {"id": call_id, "recipient": "functions.f", "content_type": "json", "arguments": '{"a":1}'}


class TestVersion:
    @pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", '"2.2"'])
    def test_those_of_2_up_to_2_2_are_read(self, version: str) -> None:
        assert found(text("<|start|>user<|message|>hi<|end|>", header=f"version: {version}")) == []

    @pytest.mark.parametrize("version", ["2.3", "2.10", "2.20", "3.0", "0.1", "10.2", "2", "two", "2.2.1", "2.2-rc"])
    def test_others_are_found(self, version: str) -> None:
        source = text("<|start|>user<|message|>hi<|end|>", header=f"version: {version}")
        assert found(source) == [(FindingCode.VERSION, "/header/version")]

    @pytest.mark.parametrize("header", ["model: m", "version: [2, 2]"])
    def test_a_header_without_one_is_found(self, header: str) -> None:
        reading = read(text("<|start|>user<|message|>hi<|end|>", header=header), "ocm-2.2")
        assert [(f.code, f.path) for f in reading.findings] == [(FindingCode.HEADER_ABSENT, "/header/version")]

    def test_1_x_is_valid_as_long_as_it_has_no_channels_and_no_developer(self) -> None:
        plain = "<|start|>user<|message|>hi<|end|>\n<|start|>assistant<|message|>ho<|end|>"
        assert found(text(plain, header="version: 1.4")) == []
        source = text(
            "<|start|>developer<|message|>hi<|end|>",
            "<|start|>assistant<|channel|>analysis<|message|>ho<|end|>",
            header="version: 1.4",
        )
        assert found(source) == [
            (FindingCode.VERSION, "/messages/0/role"),
            (FindingCode.VERSION, "/messages/1/channel"),
        ]


class TestTools:
    def test_a_reply_must_name_its_tool(self) -> None:
        reply = "<|start|>tool call_id=c to=assistant<|message|>1<|end|>"
        assert found(text(CALL.format("c"), reply)) == [(FindingCode.NAME_MISSING, "/messages/1/name")]
        assert found([call("c"), {"role": "tool", "content": "1", "call_id": "c"}]) == [
            (FindingCode.NAME_MISSING, "/messages/1/name")
        ]

    def test_the_legacy_role_is_the_name(self) -> None:
        assert found(text(CALL.format("c"), "<|start|>functions.f call_id=c<|message|>1<|end|>")) == []
        assert found([call("c"), {"role": "functions.f", "content": "1", "call_id": "c"}]) == []

    def test_ids_of_calls_must_be_unique(self) -> None:
        again = [(FindingCode.CALL_ID_REPEATED, "/messages/1/call_id")]
        assert found(text(CALL.format("c"), CALL.format("c"), REPLY.format("c"))) == again
        assert found([call("c"), call("c")]) == again
        assert found([{"role": "assistant", "tool_calls": [inner("c"), inner("c")]}]) == again

    def test_they_must_be_so_in_the_whole_transcript(self) -> None:
        source = text(CALL.format("c"), REPLY.format("c"), "<|start|>user<|message|>again<|end|>", CALL.format("c"))
        assert found(source) == [(FindingCode.CALL_ID_REPEATED, "/messages/3/call_id")]

    def test_a_reply_repeats_the_id_of_its_call(self) -> None:
        assert found(text(CALL.format("c"), CALL.format("d"), REPLY.format("d"), REPLY.format("c"))) == []

    def test_a_reply_to_no_call_is_found(self) -> None:
        unpaired = [(FindingCode.REPLY_UNPAIRED, "/messages/1/call_id")]
        assert found(text(CALL.format("c"), REPLY.format("d"))) == unpaired
        assert found([call("c"), {"role": "tool", "name": "functions.f", "content": "1", "call_id": "d"}]) == unpaired

    @pytest.mark.parametrize("channel", ["", "<|channel|>final", "<|channel|>analysis"])
    def test_a_function_is_called_on_commentary_and_nowhere_else(self, channel: str) -> None:
        assert found(text(CALL.format("c").replace("<|channel|>commentary", channel))) == [
            (FindingCode.CALL_CHANNEL, "/messages/0/channel")
        ]

    @pytest.mark.parametrize("tool", ["python", "browser.search"])
    def test_a_built_in_tool_may_be_called_on_analysis(self, tool: str) -> None:
        source = CALL.format("c").replace("commentary", "analysis").replace("functions.f", tool)
        assert found(text(source)) == []


class TestWords:
    @pytest.mark.parametrize("intent", ["preamble", "status", "debug"])
    def test_the_intents_of_section_6_are_known(self, intent: str) -> None:
        assert found(text(f"<|start|>assistant intent={intent}<|channel|>commentary<|message|>x<|end|>")) == []
        assert found([{"role": "assistant", "channel": "commentary", "content": "x", "intent": intent}]) == []

    def test_other_intents_are_found_and_kept(self) -> None:
        unknown = [(FindingCode.UNKNOWN_INTENT, "/messages/0/intent")]
        assert found(text("<|start|>assistant intent=bogus<|channel|>commentary<|message|>x<|end|>")) == unknown
        assert found([{"role": "assistant", "channel": "commentary", "content": "x", "intent": "bogus"}]) == unknown

    def test_words_of_an_open_turn_are_looked_at_too(self) -> None:
        source = "version: 2.2\n<|start|>critic intent=bogus<|channel|>thoughts"
        assert found(source) == [
            (FindingCode.UNKNOWN_ROLE, "/open_turn/role"),
            (FindingCode.UNKNOWN_CHANNEL, "/open_turn/channel"),
            (FindingCode.UNKNOWN_INTENT, "/open_turn/intent"),
        ]

    def test_a_preamble_on_final_is_found_in_both_forms(self) -> None:
        wrong = [(FindingCode.UNKNOWN_CHANNEL, "/messages/0/channel")]
        source = "version: 2.2\n<|start|>assistant intent=preamble<|channel|>final<|message|>x<|return|>\n"
        assert found(source) == wrong
        assert found([{"role": "assistant", "channel": "final", "content": "x", "intent": "preamble"}]) == wrong

    def test_roles_and_channels_are_looked_at_in_json_as_in_text(self) -> None:
        long = read([{"role": "r" * 50, "content": "x"}], "ocm-2.2-json").findings
        assert [finding.detail for finding in long] == [f"§4 has no role {'r' * 40!r}; the role is kept as it is"]
        assert found([{"role": "critic", "channel": "thoughts", "content": "x"}]) == [
            (FindingCode.UNKNOWN_ROLE, "/messages/0/role"),
            (FindingCode.UNKNOWN_CHANNEL, "/messages/0/channel"),
        ]


class TestBodies:
    @pytest.mark.parametrize("head", ["user content_type=json", "user<|channel|>final content_type=json"])
    def test_content_type_json_promises_json(self, head: str) -> None:
        assert found(text(f'<|start|>{head}<|message|>{{"a":1}}<|end|>')) == []
        assert found(text(f"<|start|>{head}<|message|>{{a}}<|end|>")) == [
            (FindingCode.CONSTRAINT_VIOLATION, "/messages/0/content")
        ]

    def test_so_does_the_content_type_of_a_call_in_json(self) -> None:
        broken = call("c")
        broken["tool_call"]["arguments"] = "{a}"
        assert found([broken]) == [(FindingCode.CONSTRAINT_VIOLATION, "/messages/0/content")]

    def test_one_violation_is_one_finding(self) -> None:
        source = text("<|start|>user content_type=json<|constrain|>json<|message|>{a}<|end|>")
        assert found(source) == [(FindingCode.CONSTRAINT_VIOLATION, "/messages/0/content")]


class TestOneWayToCall:
    BODY = '<|start|>assistant<|channel|>commentary<|message|>{"tool_calls":[]}<|end|>'

    def test_a_turn_does_not_mix_the_envelope_with_tool_calls_in_a_body(self) -> None:
        assert found(text(CALL.format("c"), self.BODY)) == [(FindingCode.MIXED_CALLS, "/messages/1")]
        assert found(text(self.BODY, CALL.format("c"))) == [(FindingCode.MIXED_CALLS, "/messages/1")]

    def test_two_turns_may(self) -> None:
        assert found(text(CALL.format("c"), REPLY.format("c"), self.BODY)) == []

    def test_words_about_tool_calls_are_text(self) -> None:
        assert found(text(CALL.format("c"), self.BODY.replace('{"tool_calls":[]}', 'see "tool_calls"'))) == []

    def test_one_object_does_not_have_tool_call_and_tool_calls(self) -> None:
        both = {**call("c"), "tool_calls": [inner("d")]}
        assert found([both]) == [(FindingCode.MIXED_CALLS, "/messages/1")]

    def test_a_body_with_tool_calls_and_the_field_are_the_same_way(self) -> None:
        body = {"role": "assistant", "channel": "commentary", "content": '{"tool_calls":[]}'}
        field = {"role": "assistant", "channel": "commentary", "tool_calls": [inner("d")]}
        assert found([field, body]) == []
        assert found([body, field]) == []

    def test_nor_do_two_objects_of_one_turn(self) -> None:
        source = [call("c"), {"role": "assistant", "channel": "commentary", "tool_calls": [inner("d"), inner("e")]}]
        assert found(source) == [(FindingCode.MIXED_CALLS, "/messages/1")]


class TestChannelsOfTheHarmonyProfile:
    ANSWER = "<|start|>user<|message|>hi<|end|>\n<|start|>assistant<|message|>ho<|return|>\n"

    @pytest.mark.parametrize(
        "profile",
        ["{enabled: true}", '{require_channels: ["final"]}', '{enabled: true, require_channels: ["final"]}'],
    )
    def test_a_profile_in_force_asks_the_assistant_for_a_channel(self, profile: str) -> None:
        source = text(self.ANSWER, header=f"version: 2.2\nprofiles: {{harmony: {profile}}}")
        assert found(source) == [(FindingCode.CHANNEL_MISSING, "/messages/1/channel")]

    @pytest.mark.parametrize("profile", ['{enabled: false, require_channels: ["final"]}', "{encoding: x}", "on"])
    def test_one_that_is_off_does_not(self, profile: str) -> None:
        assert found(text(self.ANSWER, header=f"version: 2.2\nprofiles: {{harmony: {profile}}}")) == []
