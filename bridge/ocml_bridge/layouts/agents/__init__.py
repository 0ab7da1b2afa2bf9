"""Layouts of what programs with agents, their frameworks and their tracers store."""
