"""The template language of Go (text/template), as far as users of `--fqdn-template` and the like write it.

`lexer` and `parser` make `nodes` of a text; `evaluator` carries them out on `values`, which are data
from JSON with the Go type that the reference would have decoded them into (`types` reads the table
`types.txt`, made from the real types by the oracle of the tests). `builtins` and `functions` are the
language's functions and the reference's own, `formats` is Go's way of printing. `template` is what
the sources use.

Everything is bounded: nesting when a text is parsed, steps and produced text when it is carried
out. Here does not belong what becomes of the output: names, targets and claims are others' affair.
"""
