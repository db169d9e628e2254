"""Threads: they carry out the engine's effects and feed its inputs.

Here belong the loop, the worker of each effect, signals, the runs that logs and metrics count, and
a clean end. One thread drives the engine; the others read pages, submit batches, take changes from
the cluster and report back through one queue.

Here does not belong a decision about DNS: if an answer depends on records or claims, the engine
gives it. Errors that rooms raised are decided and logged here, once.

Cluster, sources, registry and providers are known by their ports only; `extdns.app` brings them.
"""
