"""Google Cloud DNS (docs/spec/plan.md 5): atomic and conditional changes, with application default credentials.

A change lists the exact current record sets (deletions) and the desired ones (additions), in one request. It is sent
again only if the service rejected an expired token. The service refuses the whole change if a deletion differs from
what it holds. There are no set identifiers: a routing policy is part of its record set, and is kept as the property
`google/routing-policy`.

    settings       project, zone filter, limits     client  the SDK: credentials, calls, errors
    record_sets    API resources, records           adjust  what Cloud DNS can hold
        provider       read and write zones, check permissions, error responses → outcomes

Only `client` imports Google's libraries.
"""
