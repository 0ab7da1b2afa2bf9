"""Thin fronts to other people's programs. Each needs its own extra, and imports it when it is used."""
