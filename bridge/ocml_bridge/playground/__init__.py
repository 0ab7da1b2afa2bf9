"""A page on which anybody can convert a transcript, in their own browser.

`answer` is what the page asks for, and knows nothing of files. `assets` gets the interpreter that the browser runs,
`site` puts it into a folder with this package, and `serve` shows that folder on the loopback address.
"""
