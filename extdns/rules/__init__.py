"""Rules about records: what a rule is evaluated on, and what it answers (docs/design/rules.md).

Pure: values, and the interfaces by which rules are evaluated. Reading rule files, watching DNSPolicy objects and
querying a server are elsewhere. This package imports the model only.
"""
