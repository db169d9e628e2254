"""Amazon Route 53 (docs/spec/plan.md 4): conditional, atomic batches, with the credential chain of the AWS SDK.

By default, an update is a DELETE of the exact current record and a CREATE of the desired one, in one request.
`adjust` refuses what Route 53 is known to refuse, and normalizes the rest to the form in which Route 53 returns it, so
that a second pass changes nothing.

    settings       accounts, zone filter, limits        client         the SDK: sessions, calls, errors
    record_sets    record sets ↔ records, SDK           errors         error responses → outcomes
    alias_targets  hosted zones of load balancers       zones          list the zones of all accounts
    adjust         what Route 53 can hold               provider       read and write zones
    iam_policy     IAM policies that extdns needs       permissions    whether the caller may change a zone

Only `client` imports boto3 and botocore.
"""
