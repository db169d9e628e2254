"""Provider `octodns`: any DNS service that has a package for octoDNS (docs/design/octodns.md).

    settings        what the composition root passes
    configuration   the zones and providers of the user's octoDNS configuration
    secrets         values that stand for secrets
    runs            one reading of a zone by octoDNS, the plans that change it, and how they fail
    record_sets     records of octoDNS and ours
    provider        the ports

octoDNS is optional: nothing here is imported unless the provider is chosen.
"""
