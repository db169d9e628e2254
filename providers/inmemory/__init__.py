"""Keep records in memory while the process runs: for trying out extdns, for tests and for the benchmark.

The provider behaves like a strict DNS service: a batch is atomic, each write is conditional, and a batch that DNS does
not allow is refused with the offending names. Set identifiers and provider-specific properties are stored unchanged.

Zones come from `--inmemory-zone` (docs/spec/plan.md 6.3). external-dns matches names to them by plain suffix, and drops
names without a match; extdns matches whole labels.
"""
