"""JSON: parsing and writing, the spelling of objects, settings by a table of members, data URLs, schemas."""
