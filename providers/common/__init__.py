"""Shared parts of the providers.

    api_calls       failed calls and their outcomes, timeouts, certificates, names in responses
    rate_limit      the API rate limit of one account
    plain_records   what servers that hold plain DNS records accept
    rdata, scan     record data and names as text and on the wire

Nothing here depends on one service.
"""
