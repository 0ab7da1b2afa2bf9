"""Transcripts that try to run, to load, or to break the page that shows them."""

from __future__ import annotations

from ocml_bridge import Message, Tool, Transcript
from ocml_bridge.model import Foreign, Header, Media, Refusal, Settings, Text

CANARY = "__canary"
RUN = f"window.{CANARY}=1;document.title='run'"


def attacks(server: str) -> tuple[str, ...]:
    """Texts that would run a script or load something from a server, if anything let them."""
    return (
        f"<script>{RUN}</script><script src='{server}/s.js'></script>",
        f"</script></style></title></textarea></pre></code><script>{RUN}</script>",
        f'<img src=\'{server}/i.png\' onerror="{RUN}"><svg onload="{RUN}"><body onload="{RUN}">',
        f"<iframe src='{server}/f'></iframe><object data='{server}/o'></object><embed src='{server}/e'>",
        f"<link rel=stylesheet href='{server}/c.css'><link rel=prefetch href='{server}/p'><base href='{server}/'>",
        f"<meta http-equiv=refresh content='0;url={server}/m'><form action='{server}/a'><input autofocus></form>",
        f"<style>@import '{server}/x.css';body{{background:url({server}/b.png)}}</style>",
        f'<details open ontoggle="{RUN}"><video src=\'{server}/v\' autoplay onerror="{RUN}"></video></details>',
        f"[a](javascript:{RUN}) [b](data:text/html,<script>{RUN}</script>) [c](vbscript:x) [d](JaVaScRiPt:{RUN})",
        f"[e](file:///etc/passwd) [f](/beside) [g](//{server.removeprefix('http://')}/x) <javascript:{RUN}>",
        f'![alt]({server}/i.png) ![alt](data:image/svg+xml,<svg/onload={RUN}>) ![](x "onerror={RUN}")',
        f'[x]({server}/ "\\" onmouseover={RUN} autofocus=\\"")\n\n[ref]: javascript:{RUN}\n[ref]',
        f'```" onclick={RUN}\ncode</code></pre><script>{RUN}</script>\n```',
        f"| a |\n| :-: |\n| <img src={server}/t.png onerror={RUN}> |",
        "{{ 7 * 7 }} {% raw %} ${7*7} #{7*7} <%= 7 %> &lt;script&gt; &#x3c;script&#x3e; &amp;amp;",
        f'" autofocus onfocus={RUN} x="',
        f"' onfocus={RUN} x='",
        "\x00\x01\x07\x08\x0b\x0c\x1b]0;title\x07\x1b[31mred\x1b[0m\x7f\x85\x9b31m\r\x00<scr\x00ipt>",
        "\ud800 half \udc00 \ufeff \ufffe \uffff \u202e desrever \u2066 isolated \u2028 \u2029",
        "<!-- --!> <![CDATA[ ]]> <!DOCTYPE html> <?xml version='1.0'?> --> ]]>",
        "a" * 50_000 + "<" * 2_000 + "[" * 5_000 + "*" * 5_000 + "`" * 3_000,
        "> " * 300 + "deep\n" + "- " * 200 + "deep\n" + "#" * 90,
    )


def hostile(server: str) -> Transcript:
    """A transcript with every attack in every place with text."""
    messages: list[Message] = []
    for text in attacks(server):
        short = text[:300]
        messages += [
            Message(short, text),
            Message("user", text, name=short),
            Message("system", text),
            Message("assistant", text, channel="analysis"),
            Message("assistant", text, channel="final"),
            Message("assistant", text, channel=short, intent=short, content_type=short, constraint=short),
            Message("assistant", text, channel="commentary", recipient=short, call_id=short, end="call"),
            Message("tool", text, name=short, recipient="assistant", channel="commentary", call_id=short),
            Message(
                "user",
                (
                    Text(text),
                    Media("image", url=text, filename=short, format=short, detail=short),
                    Media("file", data="AAAA", file_id=short),
                    Refusal(text),
                    Foreign(short, {short: text}),
                ),
                extras={"openai": {short: short}},
            ),
        ]
    tools = tuple(Tool(text[:300], text, {"type": "object", "title": text}) for text in attacks(server))
    header = Header(version=attacks(server)[0], extras={attacks(server)[2]: 1})
    asked = Settings(model=attacks(server)[1], stop=tuple(attacks(server)))
    begun = Message(attacks(server)[0], "", end=None)
    return Transcript(tuple(messages), tools=tools, header=header, settings=asked, open_turn=begun)
