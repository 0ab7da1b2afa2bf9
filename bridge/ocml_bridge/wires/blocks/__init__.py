"""Read and write JSON wires whose messages are lists of blocks: text, media, thoughts, calls and replies.

A format defines how one block is read and written, in a `BlockCodec`, and how wire messages are made of blocks, in a
`Grammar` (`grammar.py`). This package does the rest: blocks are grouped to messages, and wire messages become messages
(`reading.py`) and back (`writing.py`), conversations are brought into the shape of the wire (`preparing.py`), the
spelling of JSON is stored and restored (`spelling.py`), and texts that contain JSON become values (`values.py`).
"""
