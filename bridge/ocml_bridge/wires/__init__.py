"""What formats in JSON share whose documents are requests, responses and bare lists.

A format says which shapes its documents have (`documents.py`), and what stands around their units in each of them
(`surroundings.py`); both ways, the document without its units is a `Shell` (`shell.py`).
"""
