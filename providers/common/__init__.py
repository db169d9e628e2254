"""Shared parts of the providers whose services are called over HTTP.

    api_calls   failed calls and their outcomes, timeouts, certificates, the rate limit, names in responses

Nothing here depends on one service.
"""
