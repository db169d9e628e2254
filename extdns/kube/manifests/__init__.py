"""The cluster from manifests: Kubernetes objects from YAML and JSON files instead of an API server.

`manifest_files.py` lists, reads and watches files. `reader.py` splits a file into documents,
`kinds.py` identifies their kind, and `yaml_parser.py` parses YAML into a `DocumentTree` (`document_tree.py`), which
keeps line numbers for messages. `loader.py` decides what to read again and indexes the objects of all files, and
`cluster.py` implements the port `Cluster`. `definitions.py` reads CustomResourceDefinitions.

No file content raises an exception. What cannot be read is a problem with a line number. A problem never
removes an object, and neither does an unreadable file.
"""
