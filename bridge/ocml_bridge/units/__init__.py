"""Units: what a format reads and writes in one piece, such as a frame or a wire message; and conversations as items.

* `reader`, `writer`: what the author of a format subclasses. `grammar` has the values that their methods exchange with
  the engine, `tokens` what formats of token ids add, `envelopes` a writer for JSON documents with an envelope.
* `heads`, `conversation`: messages as head, content and id, and conversations of these; `places` has them in plans.
* `pairing`, `relations`: which call a reply answers; `arrange` moves replies to where a format needs them.
* `grouping`: which messages form a turn. `media`: addresses and data of media as values of plans.
"""
