"""Coverage-guided fuzzing: bytes that nobody thought of, for everything that takes bytes from outside."""
