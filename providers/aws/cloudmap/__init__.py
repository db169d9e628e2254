"""AWS Cloud Map, the provider `aws-sd` (docs/spec/plan.md 6.4): namespaces are zones, and a service holds a name.

    services   services ↔ records; what a service must be to hold records
    client     calls, and waiting for the operations that they start
    provider   read and write namespaces

The description of a service is shown as a TXT record at its name, so that it is an ownership record as any other
(`registry.aws_sd`), created with the service in one call.
"""
