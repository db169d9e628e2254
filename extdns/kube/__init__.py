"""The cluster, live or from files: objects, the view, and the keys that changed.

Here belong reading manifests and watching them, list and watch, the object cache, the view
with its remembered look-ups, Events and leases. Both kinds of cluster answer the same ports and
feed the same queue of changed keys, so that no other room can tell them apart.

Only `client.py` may import the `kubernetes` package, for configuration, credentials and TLS.
Objects are decoded into lean structs of just the fields that sources read.

A document that cannot be read is reported with file and line; what it described before stays, and
the others go on.
"""
