"""The commands, a file each: its options, its help and what it does.

A command builds the parts it needs with `extdns.app`, runs them, and shows a document of `extdns.documents` as text or
JSON: the answer first, then the evidence, then the next step. What extdns shows belongs to `extdns.documents`.

Its file is imported for its help and for each Tab, and what a pass needs takes 0.4 s to import. Therefore functions of
commands import what the command line does not import anyway. A long part of a command, and what several commands need,
such as one pass without a writer, are modules beside it.
"""
