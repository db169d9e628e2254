"""The cluster from manifests: Kubernetes objects from YAML and JSON files instead of an API server.

`manifest_files.py` lists and reads files. `reader.py` splits a file into documents, which `yaml_parser.py` or msgspec
parses, and `kinds.py` identifies their kind. `loader.py` decides what to read again and indexes the objects of all
files, `rendering.py` sums up what a tool must render first, and `cluster.py` implements the port `Cluster`.
`definitions.py` reads CustomResourceDefinitions.

No file content raises an exception. What cannot be read is a problem with the line of its document. A problem never
removes an object, and neither does an unreadable file.
"""
