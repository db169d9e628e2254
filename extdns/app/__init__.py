"""The composition root: the only place that names concrete classes and joins rooms (habit 9).

`assembly` joins everything that a configuration asks for; `sources`, `services`, `registries`,
`clusters` and the like choose the classes of a seam each; `filters` and `namespaces` say for several
of them what flags mean together. A module of the rooms is imported inside the branch that needs it, so
that nobody pays for a service's SDK that is not used.

Nothing here decides anything: a rule belongs to the room that knows it.
"""
