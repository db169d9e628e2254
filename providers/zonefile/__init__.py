"""Zone files (RFC 1035 section 5, "master files") in one folder, served by CoreDNS, BIND, Knot, NSD and others.

Our records are in a section between two comments at the end of the file, one record in each line. Other lines stay as
they are, byte for byte, except the SOA serial, records that we change, and lines that inherit a name or TTL from these.
A file is replaced in one step, and only if the records to be changed are still as they were read. A file without
changes is not written.

dnspython reads and writes names, TTLs and record data, and expands $GENERATE. Its zone parser is not used: it drops
comments, the order of lines and their spelling, which people keep under version control. So `scan` and `parse` split
the text into lines that can be written back unchanged.

    parse    entries into records (types in master)  edit     apply changes, the next SOA serial
    reader   the ZoneReader port                     folder   files, lock, replacement
                                                     writer   the ZoneWriter port

`providers.common` splits text into entries and words (scan), converts words (rdata, the only one here that uses
dnspython) and has what a zone file can hold (plain_records). User documentation: docs/reference/zonefile.md.
"""
