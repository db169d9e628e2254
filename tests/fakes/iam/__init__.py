"""An IAM and an STS for tests: who calls, and what policies allow, over HTTP, strict where the real ones are.

Start at `server.Iam`: `with Iam() as fake:` gives `fake.url` for both endpoints of boto3; `fake.callers` says whose
each access key is, `fake.policies` what each role or user may do, `fake.organization` what the organization allows at
most; `fake.log` is what was called. `policies` evaluates policies.

The rules are those of the IAM user guide ("Policy evaluation logic", "Multivalued context keys") and of the API
references of IAM (2010-05-08) and STS (2011-06-15). Left out: boundaries, resource policies, principals, variables,
all operators but those for strings, signatures. Nothing here imports the product.
"""
