"""Subcommands: one module each, from parsed flags to exit code.

A command builds the parts it needs with `extdns.app`, runs them, and shows a document of `extdns.documents` as text or
JSON: the answer first, then the evidence, then the next step.

What several commands need, such as one pass without a writer, has a module of its own here. What extdns shows belongs
to `extdns.documents`. Modules are imported when their command is chosen, so that `--help` stays fast.
"""
