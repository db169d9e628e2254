"""Who of several processes writes: a Lease of the API server (coordination.k8s.io/v1).

`election` decides, as a pure state machine: one input and the time in, at most one request out.
`place` reads and writes the Lease; each write is made on the version that was read, so that of two
processes one is told that it came too late. `elector` joins them on a thread of its own.

Times are those of one process' steady clock. A holder counts from the moment at which it sent the
renewal that was confirmed, others from the moment at which they saw it: whatever the clocks of two
machines say, the holder stops first.
"""
