"""What stands where in what was written: pieces of units, which plans have in common."""
