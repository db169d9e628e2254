"""From Kubernetes objects to claims: one module a kind.

A source is a pure function of one object of its primary kind and of a read-only view of the
cluster. Whatever else it looks at (endpoints, pods, nodes, classes) it asks of the view, which
remembers the question, so that a change of the answer makes the object dirty again.

Here belong annotations, filters, hostnames and targets, and what is wrong with them: a bad value
costs one claim, which is then withheld or skipped with a reason that names object, field, value
and what is allowed. Here does not belong anything about zones, ownership or DNS services.

Sources do not know each other; what several need is a module of its own, named for its idea.
"""
