"""The template language of Go (text/template), as used in `--fqdn-template` and similar flags.

`lexer` and `parser` turn a text into a tree of `nodes`. `evaluator` runs the tree on `values`: JSON data with the
Go types into which external-dns decodes them. The types are in the table `types.txt`, which a Go program of the
tests generates. `functions` has the functions of the language and those that external-dns adds, and `go_format`
formats values as Go does. Other packages use only `template` and `errors`.

Nesting is limited when a text is parsed; steps and output are limited when it is rendered. Nothing here depends on
how the output is used: names, targets and claims belong to `extdns.sources`.
"""
