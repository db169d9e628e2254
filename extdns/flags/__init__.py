"""The flags: every setting, defined once, as a field of a section (`flag`).

A module has the sections of its subject; that of a provider is in its package. `table` lists all flags. The parser of
command line and environment, `extdns help flags`, the reference page and `extdns.config` are made from them. `kind` has
the simple kinds of value; durations, addresses and regular expressions have modules of their own.

Every flag of external-dns is known. Those that this version only accepts, with a notice at the start, or refuses are in
reference.tsv, those that it had once in removed.tsv. No flag is silently ignored.

What a setting does is implemented elsewhere. The only I/O here is the reading of `@file` arguments and of the two
tables.
"""
