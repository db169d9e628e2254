"""Google Cloud DNS (spec plan 5): atomic changes, conditional by nature, with application default credentials.

A change names exactly what stood (deletions) and what shall stand (additions), in one request that is
sent once; the service refuses it whole if anything is not as it says. There are no set identifiers: a
routing policy is part of its one record set, read and written whole as the property `google/routing-policy`.

    client                     the SDK                                      answers    refusals into outcomes
    wire, codec, policy        record sets, to and from records             selection  which zones are ours
    adjust, validity           what the service can hold of what is wanted  settings   what a person set
    zones                      lists of zones                               reader, writer  the two ports

Only `client` imports Google's libraries.
"""
