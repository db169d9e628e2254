"""Manage zones on servers that take DNS UPDATE (RFC 2136), such as BIND, Knot and PowerDNS (docs/design/rfc2136.md).

settings    which servers, zones and key
client      connections, TSIG, transfers and updates
tkey        a key for one update, negotiated with the server (GSS-TSIG)
kerberos    tickets and security contexts, with the package gssapi
zone_copy   the records of one zone, kept up to date by IXFR
update      one UPDATE message for a batch, with prerequisites
permissions whether the server takes updates, for `extdns check`
provider    the ports `ZoneReader` and `ZoneWriter`
"""
