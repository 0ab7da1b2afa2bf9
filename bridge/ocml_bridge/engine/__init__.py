"""Reads and writes documents unit by unit, with the reader and writer of a format or with plans learned from them."""
