"""What a browser, a probe or a scraper sees: health, metrics, the JSON API and the live page.

The web server reads: a copy of what the engine holds, made when asked and at most once a second,
and the metrics registry. It never calls a provider, the cluster or the controller, so
that no request, however many of them, can slow down or change what is published.

Whatever comes out of the cluster is escaped; secrets have been masked before they get here.
"""
