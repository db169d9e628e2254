"""The `service` source (docs/spec/sources.md 3).

`source.py` reads the hosts of a Service, also from annotations of older tools. It passes each host to an
*expansion*: a function from one host to names with targets, chosen by the type of the Service
(`expansions.py`, which also has the settings and lookups).

Expansions look up other objects only if their Service needs them: nodes, pods and EndpointSlices are not
listed for load balancers.
"""
