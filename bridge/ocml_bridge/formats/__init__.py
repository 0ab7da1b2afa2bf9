"""The description of a format (`Adapter`), and the types that its functions take."""
