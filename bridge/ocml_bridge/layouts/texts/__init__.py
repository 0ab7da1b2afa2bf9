"""Layouts of rows whose conversation is one text: in a chat template, or a prompt that one wrote."""
