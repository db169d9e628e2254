"""The flag table: every setting, said once.

Here belong the flags, one file a topic with its tuple `FLAGS`; `table` joins them. From that one
table are made the command line and environment parser, `--help`, the reference page and
`extdns.config`. The kinds of value that a flag can have (duration, regex, selector, …) are small
modules of their own.

Every flag of the reference is here. One that this version does not have is marked `Absent` and
stops the start when it would matter; one that no longer means anything is `Moot` and says so.
None is silently ignored.

Here does not belong what a setting does, and no I/O but the reading of `@file` arguments.
"""
