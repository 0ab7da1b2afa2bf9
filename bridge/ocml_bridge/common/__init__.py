"""Helpers that know nothing of conversations: lazy imports, bounded caches, suggestions for misspelt names, Unicode."""
