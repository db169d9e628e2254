"""Shared parts of the providers.

    api_calls       when calls may begin, the API rate limit, failed calls and their outcomes, names in responses
    http_calls      requests over HTTP, bounded in time and size
    certificates    trusted certificates
    plain_batches   batches of plain DNS records
    plain_records   what servers that hold plain DNS records accept
    zone_contents   the records of a fully read zone: by name, and split into pages
    zone_lists      the zones that a service lists, or that are read one by one by their ids
    rdata, scan     record data and names as text and on the wire

Nothing here depends on one service.
"""
