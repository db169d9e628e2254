"""A fake IAM and STS for tests: over HTTP, and as strict as the real services.

Tests use `server.Iam`: `with Iam() as fake:` provides `fake.url`, the endpoint of both services for boto3.
`fake.callers` maps access keys to identities, `fake.policies` contains the policies of roles and users,
`fake.organization` the limits of the organization, and `fake.log` the calls received. `policies` evaluates policies.

The rules are those of the IAM user guide ("Policy evaluation logic", "Multivalued context keys") and of the API
references of IAM (2010-05-08) and STS (2011-06-15). Not implemented: permissions boundaries, resource policies,
principals, variables, operators other than those for strings, signatures. Nothing here imports the product.
"""
