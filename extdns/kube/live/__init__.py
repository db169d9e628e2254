"""The live cluster: list objects from an API server, then watch them.

`reflector.py` has the thread that lists and watches one kind, in one namespace or in all. `pages.py` reads
lists page by page, and `responses.py` decodes what the server sends. `existence.py` checks whether single objects
exist, `identity_reader.py` reads which cluster responds, and `monitor.py` makes reflectors list again if another
cluster responds or a list lacks an existing object. `cluster.py` implements the port `Cluster`.

A late, truncated or malformed response is an error, never an empty list. An object that a complete
list lacks is missing, which is not the same as deleted. If an object cannot be decoded, its last valid version stays in
use, and other objects are not affected.
"""
