"""A fake AWS Cloud Map over HTTP, with state and the rules of the API reference that moto does not check.

Names are unique, services with instances cannot be deleted, instances must have the values that the types of their
service need, an update removes what it does not state. Operations end some calls later, also if nobody asks for them,
and only one at a time may change an instance. A repeated request gets the answer to the first. Lists are paged and
filtered.

    server    the service
    records   services as the records and ownership records of a zone, and edits of people
"""
