"""Keep ownership in TXT records next to the records they cover (docs/spec/plan.md 3.2).

::

    naming            name and type of a record ↔ name of its ownership record; names that must be read together
    ownership_index   text of ownership records; which of them covers which record, in the newest and older formats
    encryption        the same text, encrypted
    registry          the port: owners of records; changes → writes
    writes            the writes of one change set, with its ownership records, checked by reading them back

An ownership record covers records of one name only. If its name could stand for two, the index decides from the
surrounding records. If it cannot decide, the records are not ours.
"""
