"""The documents that extdns prints and serves, such as plans. Each has JSON; those that commands print have text.

Each document has a builder. Its JSON and its text are made from the document alone. Text is made line by line, and
`escape_lines` makes each line safe for a terminal.
"""
