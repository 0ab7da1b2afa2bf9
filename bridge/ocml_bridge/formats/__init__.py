"""What a format is: one entry of data and a few functions, and what those are given."""
