"""Showing results: `text` makes any text harmless, `plain` is for pipes, `rich_tables` for
terminals, `envelope` for machines."""
