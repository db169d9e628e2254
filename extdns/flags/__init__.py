"""The table of flags: every setting, defined once.

Each topic has a module with its tuples of flags; `table` joins them. The command line and environment parser,
`extdns help flags`, the reference page and `extdns.config` are made from this table. `kind` has the simple
kinds of value; durations, addresses and regular expressions have modules of their own.

Every flag of external-dns is in the table. A flag that this version does not support is `Absent`, and is an error
at the start if it would have an effect. A flag that has no meaning in extdns is `Moot`, and logs a notice.
No flag is silently ignored.

What a setting does is implemented elsewhere. The only I/O here is the reading of `@file` arguments.
"""
