"""Layouts of datasets: conversations in columns, preferences, questions, and what single datasets have of their own."""
