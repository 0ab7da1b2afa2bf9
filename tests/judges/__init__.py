"""Other people's programs as judges, run by hand: what they need is too much for the tests. Each explains how."""
