"""What is checked of a conversion, of calls and of formats, by converting."""
