"""Values that every other package uses.

Belongs here: names, targets, TTLs, claims, records, zones, changes, outcomes, evidence, reasons and
decisions. Each value is frozen, compares by content, and is checked once, when it is made. What has
a canonical form (the case and IDNA form of a name, the spelling of an IPv6 address, the order of
targets) gets it then, so that no later code has to check again.

Does not belong here: code that decides (merging and planning are in the planner, reading ownership records
in the registry), I/O, clocks, randomness, the environment, logging.

Sequences are tuples; closed sets are unions or `StrEnum`.
"""
