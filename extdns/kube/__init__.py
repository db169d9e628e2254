"""Access to Kubernetes: a live API server, or manifests in files.

`live` lists and watches an API server, and `manifests` reads YAML and JSON files. Both implement the port
`Cluster` and keep objects in a `LocalStore` (`local_store.py`). Other modules write to the API server: Events
(`event_recorder.py`), the status of objects (`status_writer.py`, `status_conditions.py`), the annotations of
ConfigMaps with policies (`policy_status.py`), the Lease of the leader (`leader_election.py`) and the saved state
(`state_store.py`).

Only `kubeconfig.py` may import the `kubernetes` package. `object_decoder.py` decodes objects
into structs with only the fields that sources read.
"""
