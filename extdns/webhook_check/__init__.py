"""The conformance kit for authors of webhook providers: `extdns webhook-check` (docs/design/webhook-check.md).

    exchange   one request at a time over plain HTTP, bounded in time and size
    scratch    the names that the kit makes below one random label, and their removal
    check      what a check is, and how it ends
    *_checks   the checks by topic
    catalog    all checks in the order in which they run

Of extdns's own client and server it uses only the decoding of JSON and domain filters (`providers.webhook`), so that a
defect there is found, too.
"""
