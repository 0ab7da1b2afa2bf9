"""Harmony (HIP-1), as text and as token ids."""
