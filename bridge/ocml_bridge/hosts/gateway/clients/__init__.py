"""Requests of clients: routes, forms of requests, answers and refusals."""
