"""What stands before the first frame (§2): where it ends, however the text is cut."""

from __future__ import annotations

from .document import DocumentHeader, parse_header, too_long
from .syntax import MAX_HEADER, START, START_LINE


class Front:
    """Looks for the first frame: at a line that begins with one, as the header itself names tokens (reading 1).

    A `<|start|>` earlier in a line is the first frame's where what stands before the line is no header, and at once
    where nothing but white space stands before it.

    Attributes:
        text: what stands before the first frame, once that is known.
        header: the document header that it is; None where it is none.
    """

    def __init__(self) -> None:
        self.text = ""
        self.header: DocumentHeader | None = None
        self._pieces: list[str] = []
        self._blank = True
        self._early = -1
        self.size = 0
        """How many characters wait for the first frame."""

    def feed(self, text: str) -> str | None:
        """Take more text, not cut inside a token; the text from the first frame on, once it is known where it begins.

        Raises:
            BridgeError: E-PARSE-HEADER where a header is longer than `MAX_HEADER`, nests too deep, or uses YAML's
                aliases.
        """
        # Behind text that ends inside a line, the first character does not begin one.
        line = START_LINE.search(text, int(bool(self._pieces) and not self._pieces[-1].endswith("\n")))
        early = text.find(START) if self._early < 0 else -1
        self._pieces.append(text)
        if early >= 0:
            self._early = self.size + early
            self._blank = self._blank and not text[:early].strip()
            if self._blank:
                return self._split("".join(self._pieces), self._early)
        else:
            self._blank = self._blank and not text.strip()
        if line is not None:
            return self._decide("".join(self._pieces), self.size + line.start())
        self.size += len(text)
        if self.size > MAX_HEADER and not self._blank:
            raise too_long()
        return None

    def finish(self) -> str:
        """There is no more text: that from the first frame on, "" where there is none.

        Raises:
            BridgeError: as `feed`.
        """
        text = "".join(self._pieces)
        return self._decide(text, len(text))

    def _decide(self, text: str, at: int) -> str:
        rest = self._split(text, at)
        return rest if self.header is not None or self._early < 0 else self._split(text, self._early)

    def _split(self, text: str, at: int) -> str:
        self.text = text[:at]
        self.header = parse_header(self.text) if self.text.strip() else None
        return text[at:]
