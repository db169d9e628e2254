"""Azure DNS and Azure Private DNS: each record set in one conditional call, with tokens of azure-identity.

`azure` and `azure-dns` are the same. The API has no batches, so the engine orders the writes of a name: its ownership
record is created first and deleted last. Every write states the etag of what was read, so that nothing is overwritten
unseen. Between two calls nothing holds: what a process leaves half-done at its end is read and completed by the next.

    configuration  the file azure.json, and the clouds         credentials  tokens
    client         requests, pages, errors and rate limits     records      record sets of the API, records
    adjust         what Azure can hold                         provider     read and write zones
    permissions    what the credentials may do                 spec         the three values of --provider
"""
