"""Decide which records are ours, and add ownership records to changes.

A registry finds the owners of records, lists the names that must be read together with a name, and
completes a change set with its ownership records. `registry.txt` does this with TXT records; `registry.noop` counts
every record as ours.

A registry is pure: it does not read or write zones, keeps no state, and does not depend on the DNS service. Text that
cannot be parsed is foreign, never an error.

Import as `from registry.x import ...`: the name `registry` alone is used for variables.
"""
