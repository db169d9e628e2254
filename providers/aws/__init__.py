"""Amazon Route 53 (spec plan 4): conditional, atomic batches, with AWS's own credential chain.

A change is the DELETE of exactly what stood plus the CREATE of what shall stand, in one request that
is sent once. What the service would refuse is refused beforehand, where the rule is known, and what
it would not give back is put into the form in which it does, so that a second pass changes nothing.

    client, codes             the SDK, and AWS's error codes                 answers    refusals into outcomes
    wire, codec               record sets, to and from records               targets    zones of AWS's own names
    names, routing            parts of them
    adjust, validity          what the service can hold of what is wanted    selection  which zones are ours
    zones, listing, shapes    lists of zones, pages, what a batch is         settings   what a person set
    reader, writer            the two ports

Only `client` imports boto3 and botocore.
"""
