"""Records that live as long as the process: for trying out, for tests, and for the benchmark.

It behaves as a strict DNS service does: a batch applies whole or not at all, every write says what
must stand there, and what DNS forbids is refused with the names it is about. Set identifiers and
provider-specific properties are kept as they are given.

Zones come from `--inmemory-zone` (spec plan 6.3), where the reference matches names by plain
suffixes and drops what matches none; here zones are matched by whole labels, by the planner.
"""
