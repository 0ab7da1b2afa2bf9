"""Layouts of chats that apps export or keep."""
