"""Shared parts of the providers whose services are called over HTTP.

    http        failed calls and their outcomes, timeouts, certificates, names in responses
    rate_limit  how many calls an account may make

Nothing here depends on one service.
"""
