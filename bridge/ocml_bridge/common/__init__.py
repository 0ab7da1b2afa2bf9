"""Helpers that know nothing of conversations: lazy imports, caches, suggestions for misspelt names, search, Unicode."""
