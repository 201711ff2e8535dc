"""Formats of dates per language, where ours differ from the framework's."""
