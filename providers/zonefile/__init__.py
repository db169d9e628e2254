"""Zone files (RFC 1035 section 5, "master files") in one folder, served by CoreDNS, BIND, Knot, NSD and others.

Our records are in a section between two comments at the end of the file, one record in each line. Other lines stay as
they are, byte for byte, except the SOA serial and records that we change. A file is replaced in one step, and only if
the records to be changed are still as they were read. A file without changes is not written.

dnspython reads and writes names, TTLs and record data, and expands $GENERATE. Its zone parser is not used: it drops
comments, the order of lines and their spelling, which people keep under version control. So `scan` and `parse` split
the text into lines that can be written back unchanged.

    scan     text into entries and words
    rdata    words into names and targets and back   edit     apply changes, the next SOA serial
    parse    entries into records (types in master)
    adjust   what a zone file can hold               folder   files, lock, replacement
    reader   the ZoneReader port                     writer   the ZoneWriter port

Only `rdata` imports dnspython. User documentation: docs/reference/zonefile.md.
"""
