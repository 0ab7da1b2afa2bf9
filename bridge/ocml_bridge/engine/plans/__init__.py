"""Plans: what units, conversations and outputs with the same cache key have in common, learned from one of them.

A unit (a frame, a wire message) depends on its messages and a small state. So two units with the same *heads* (all of
their messages but contents and ids) differ only in these. A plan is learned by running the format's own grammar with
*probes*, which are placeholders for contents and ids; it is filled with the contents and ids of other units. Nothing is
defined twice, and without plans the result is the same.

* `learning`: plans by which units are written; those by which units are read are in `engine/reading.py`.
* `conversations`: plans of conversations, whose units have the same reading plans.
* `output_plan`, `filled`: a plan of an output, and an output that was built by it; `outputs` learns such plans, one for
  each plan of a conversation.
* `envelopes`: what stands around the units, which is cached likewise.
* `probes`, `holes`, `fillers`: placeholders, their places in an output, and functions that fill these.
"""
