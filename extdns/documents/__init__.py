"""The documents that extdns prints and serves, such as plans. Each has JSON, text and a schema.

Each document has a builder. Its JSON and its text are made from the document alone.
"""
