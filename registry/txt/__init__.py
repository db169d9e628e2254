"""The txt registry: TXT records beside the records they prove to be ours (spec plan 3.2).

::

    naming      name and type of a record ↔ name of its mark
    heritage    labels ↔ text of a mark
    ledger      which mark proves which record, in today's and in older naming
    kinship     names that must be read together for the ledger to be right
    completion  changes → writes, marks included
    registry    the port that joins them

A mark proves the records of one name only. Where its name could mean two, the ledger decides, and
what it cannot decide is not ours (law 1).
"""
