"""Plans: what a unit of a format looks like is found once, by the format's own grammar, and remembered.

A unit is what a format reads and writes in one piece: a frame, or a wire message. It is free of its context but for a
small state, so two units with the same *heads* (all of their messages but contents and ids) look alike but for these.
The grammar is told once, in the adapter; a plan is what it gave for a unit with probes in place of contents and ids.
A unit that is not plain takes the plain way alone, and plans can be turned off.
"""
