"""Read and write documents in JSON: requests, responses and bare lists of wire messages.

A format defines the shapes of its documents (`documents.py`), and for each shape the members around its units, such as
tools and settings (`surroundings.py`). A document that was read, split into its units and all else, is a `Shell`
(`shell.py`).
"""
