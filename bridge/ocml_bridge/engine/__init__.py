"""Reads and writes documents unit by unit, by what a format says of its units, with plans or without."""
