"""The embedded cluster: Kubernetes objects from YAML and JSON files instead of an API server.

The way of a byte: `files` lists and reads, `reader` splits a file into documents, `drafts` and
`tree` take them apart (JSON at once into structs, YAML over a tree that knows its lines), `kinds`
tells which of them concern us, `objects` makes objects of them, `mistakes` says what is wrong.
`folders` decides what to read again and what to doubt, `catalogue` keeps what all files say,
`watcher` notices edits, and `cluster` gives changes out under the same port as a live cluster.

Here does not belong what objects mean: that is for the sources.

Nothing a file holds raises. What cannot be read is a flaw with its line; a flaw never removes an
object, and neither does a file that cannot be read.
"""
