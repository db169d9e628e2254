"""Ownership: how a record is proved to be ours.

A registry reads records and says which marks prove what, tells where the marks of a name may lie,
and completes a change set with the marks it needs. Naming, heritage text and its formats live in
`registry.txt`; `registry.noop` proves nothing and adds nothing.

A registry is pure: it neither reads zones nor writes them, keeps no state, and does not know which
DNS service is behind them. Text that nobody can parse is somebody else's, never an error.

Always `from registry.x import ...`: the name `registry` alone would be shadowed by a variable.
"""
