"""`status` of objects that ask for records: what became of them, where people and tools look for it.

`conditions` words it: `Accepted`, `Programmed`, `Ready`, and each endpoint that falls short. `writer`
compares that with what stands and writes what is new by server-side apply, on a thread of its own:
nobody waits for it, it may lag, and it gives up where a right is missing.
"""
