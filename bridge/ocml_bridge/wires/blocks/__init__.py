"""What JSON wires share whose messages are lists of blocks: text, media, thoughts, calls and replies.

A format says how one block is read and written (`grammar.py`). How blocks make messages and messages make wire messages
(`reading.py`, `writing.py`), how their JSON was spelled (`spelling.py`), which of it are settings (`places.py`), and
what becomes of JSON that stands in texts (`values.py`) is told here.
"""
