"""Answers to a request: decoded, cut, amended, and with what has to be remembered for the next request."""
