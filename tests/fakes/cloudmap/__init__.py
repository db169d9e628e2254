"""A fake AWS Cloud Map over HTTP, with state and the rules of the API reference that moto does not check.

Names are unique, services with instances cannot be deleted, instances must have the values that the types of their
service need, an update removes what it does not state, and operations end only when they have been asked for often
enough. Lists are paged and filtered.
"""
