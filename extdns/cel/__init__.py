"""Rules in CEL: DNSPolicy documents, their expressions, and their evaluation (docs/design/rules.md).

Pure, besides the third-party evaluator, which only `library.py` imports. Files are read and objects watched elsewhere.
"""
