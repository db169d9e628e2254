"""Ownership that is kept outside of the zones, in rows of a store: what `dynamodb` and `crd` have in common.

A row states the owner and the labels of one record. `RowService` reads the rows of a store together with the records of
the zones, and writes them around each batch; `RowRegistry` reads and writes them as it would ownership records.
"""
