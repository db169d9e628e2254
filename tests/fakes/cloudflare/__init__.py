"""A strict fake of Cloudflare's API, version 4, for DNS records: zones, records, hostnames, pages, and errors.

    server    the service, and what tests do with it
    values    which records the API accepts, and how it returns them
    hostnames which regional and custom hostnames it accepts

Unlike Cloudflare, it refuses names outside the zone (Cloudflare would append the name of the zone), TXT content without
quotes (Cloudflare would add them), and every record beside a CNAME, so that no test depends on such help.
"""
