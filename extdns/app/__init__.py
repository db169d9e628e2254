"""The composition root: it chooses the implementation of each protocol and connects all parts.

`assembly` builds the whole process for a configuration. `sources`, `provider`, `registry`, `cluster` and `state_store`
choose the classes of one protocol each. A module of another package is imported in the branch that needs it, so that a
process does not load the SDK of a service that it does not use.

Nothing is decided here: a rule belongs to the package that it is about.
"""
