"""Run a migration: processes, steps, the journal, and outputs that are whole or absent."""
