"""How many changes of the product its tests notice: a sample of what mutmut would change, package by package."""
