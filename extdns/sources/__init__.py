"""Turn Kubernetes objects into claims. Each source is one module with a `SourceSpec`; its name is that of the source.

A source is a pure function of one object and of a read-only view of the cluster. It looks up other
objects (EndpointSlices, pods, nodes) in the view. The view records each lookup, so extdns computes
the claims of the object again when the result of a lookup changes.

Sources read annotations, filters, hostnames and targets. An invalid value affects only claims of its own object. They
are unresolved or invalid, or have a warning, which names the field, the value and what is allowed. Sources do not use
zones, ownership records or DNS services.

Sources do not import each other; what they share is in `common`.
"""
