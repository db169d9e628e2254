"""Shared parts of the sources.

    annotations, annotation_names   what the annotations of an object state, and targets
    claim_builder                   the settings of all sources, templates, and the claims of one object
    host_publisher                  publishes the hosts of an object's fields, annotations and templates
    endpoint_claims                 records that an object lists completely
    claim_stages                    what happens to the claims of every source afterwards
    spec                            what a source is, from which everything about it follows
    f5, istio, gateway              what the sources of one project share
    namespace                       Namespaces, which rules read

Nothing here imports a source.
"""
