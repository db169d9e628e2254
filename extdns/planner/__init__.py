"""From claims and records to changes: pure functions on values.

Here belong the steps between what objects want and what a zone gets: merge within a source, zone
placement, the two-level table (name, then set identifier), conflicts, replacements, change
detection, the ownership filter, policy, and the evidence that a delete carries.

Here does not belong state: the engine keeps it and passes in what a name needs. The planner plans
the names it is given and no others; a full pass is merely all of them. Every change and every
claim that came to nothing leaves with a reason.

The result depends on its arguments alone, never on their order. No I/O, no clock, no log.
"""
