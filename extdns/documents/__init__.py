"""The documents that extdns prints and serves, such as plans. Each has JSON, text and a schema.

document alone.
"""
