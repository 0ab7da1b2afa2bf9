"""Commands that clusters run, each in a folder that has nothing else: what runs a file puts its folder first."""
