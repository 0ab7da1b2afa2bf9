"""Checks that convert: of an output against the laws, of calls against their tools, of what a format can hold."""
