"""HTTP: health, metrics, the JSON API and the live page.

The web server only reads: a copy of the engine's state, made on request and at most once a second, the health, and the
metrics. No request causes a call to a DNS service or the API server, so that requests can neither slow down nor change
the work.

Values from the cluster are escaped here. Secrets are masked before they get here.
"""
