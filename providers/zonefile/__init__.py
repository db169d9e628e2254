"""Master files (RFC 1035 section 5) in one folder, for CoreDNS, BIND, Knot, NSD and the like to serve.

Lines that are not ours stay byte for byte, the SOA serial excepted: the records we write stand, one
a line, in a section at the end of the file, between two comments. A file is replaced whole, in one
step, and only if the records to be changed are still what they were. A file in which nothing
changes is not touched.

    scan     text into entries and words             header   TTL, class and type of a record
    rdata    words into names and targets and back   edit     entries with changes made
    parse    entries into what they state (master)   serial   the next SOA serial
    adjust   what a zone file can hold               folder   files, lock, replacement
    batch    what a change does, or why it may not   reader, writer   the two ports

Only `rdata` imports dnspython. User documentation: docs/reference/zonefile.md.
"""
