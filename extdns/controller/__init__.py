"""The threads of the process: they feed the engine's inputs and carry out its effects.

One thread runs the engine. Others read the cluster, read zones and write batches, and return results through one
queue. This package also reports what happens (log, metrics, Events, object statuses), and owns the write gate, which
decides whether this process may write. What observes the engine is a participant of its loop; `extdns.audit`,
`extdns.opa` and `extdns.policies` add theirs.

Decisions about DNS belong to the engine. Errors of other packages are handled and logged here, once. The cluster,
sources, registry and providers are used through `extdns.ports` only; `extdns.app` supplies them.
"""
