"""Values: what every other room speaks in.

Here belong names, targets, TTLs, endpoints, labels, claims, records, zones, change sets, outcomes,
evidence, reasons and decisions, each frozen, compared by value, and checked once, in its
constructor or in `from_text`. What is canonical (a name's case and IDNA form, the spelling of an
IPv6 address, the order of targets) is canonical by construction, so that no later code asks again.

Here does not belong anything that decides: merging, placing and planning are the planner's, reading
a mark's text is the registry's. Nothing here does I/O, asks for the time, rolls dice, reads the
environment or logs.

One idea, one module, named by its noun. Sequences are tuples; closed sets are unions or `StrEnum`.
"""
