"""Units: what a format reads and writes in one piece, such as a frame or a wire message.

`grammar` is what a format says of its units, `heads` are messages without contents and ids, `conversation` is a
transcript of such, and `relations` are what stands between them.
"""
