"""The conformance kit for authors of webhook providers: `extdns webhook-check` (docs/design/webhook-check.md).

    exchange   one request at a time over plain HTTP, bounded in time and size
    scratch    the names that the kit makes below one random label, and their removal
    check      what a check is, and how it ends
    *_checks   the checks by topic
    catalog    all checks in the order in which they run

It does not use the client that extdns itself has for webhooks, so that it also finds defects which that client has. It
shares only the decoding of JSON and domain filters with it (`providers.webhook`).
"""
