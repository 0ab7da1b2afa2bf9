"""Servers that complete prompts: which one answers, and how it is asked."""
