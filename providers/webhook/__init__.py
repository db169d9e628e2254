"""The protocol of external-dns's webhook providers (docs/design/webhook.md, docs/spec/plan.md 6.2).

`wire` has the media type, the JSON and its bounds: the client here and the conformance tests of webhook
providers use it.
"""
