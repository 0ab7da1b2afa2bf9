"""Computes the spans of an output: which characters, or token ids, belong to which message, and what they are."""
