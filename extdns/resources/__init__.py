"""The Kubernetes kinds that extdns decodes: one file for each API group.

Each kind is a msgspec struct with the fields that extdns reads, and a `Kind` constant. `STRUCTS` at the end of a file
lists them; `kinds` has those of all files, and finds the struct of a kind; `meta` has what several groups share.

The package has field names, types and defaults as the API defines them. `extdns.sources` decides what the
fields mean for DNS.
"""
