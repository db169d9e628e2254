"""Decide which records are ours, and add ownership records to changes.

A registry finds the owners of records, lists the names that must be read together with a name, and
completes a change set with its ownership records. `registry.txt` does this with TXT records; `registry.noop` counts
every record as ours; `registry.dynamodb` and `registry.crd` keep ownership in rows outside of the zones.

A registry is pure: it does not read or write zones, keeps no state, and does not depend on the DNS service. Text that
cannot be parsed is foreign, never an error. Rows are read and written beside the records of a zone by
`registry.rows.service`, so that a registry sees them as records.

Import as `from registry.x import ...`: the name `registry` alone is used for variables.
"""
