"""From claims and records to changes: pure functions on values.

Belongs here: the steps between claims and changes, such as merging claims, hostname contests, comparing desired with
current records, coexistence and `--policy`.

Does not belong here: state, which the engine holds. The planner gets what it needs for one name and plans that
name only; a full pass plans all names. Every change, and every claim that is not fulfilled, has a reason.

Results depend on the arguments only, never on their order. No I/O, no clock, no log.
"""
