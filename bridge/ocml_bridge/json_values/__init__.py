"""JSON: its text, how it was spelled, settings by a table of members, data in addresses, schemas."""
