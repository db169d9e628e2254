"""The live cluster: list objects from an API server, then watch them.

`reflector.py` is the thread that lists and watches one kind in one namespace. `responses.py` decodes
what the server sends. `existence.py` checks single objects, `identity_reader.py` reads which cluster
responds, and `monitor.py` compares lists with those checks. `cluster.py` implements the port `Cluster`.

A late, truncated or malformed response is an error, never an empty list. An object that a complete
list lacks is missing, which is not the same as deleted. If an object cannot be decoded, its last valid version stays in
use, and other objects are not affected.
"""
