"""What `extdns plan` prints for the mistakes that newcomers make, word for word."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.flags.table import BY_NAME
from extdns.flags.validation import AVAILABLE
from tests.program.newcomer_folder import AWS, RUN, manifest

WEB: Final = "manifests/web.yaml"
ZONE_FILE: Final = "zones/shop.example.zone"
NAMES_NOTHING: Final = """
    WARNING: 1 object was read, and it requests no name
      a name is requested by the annotation external-dns.kubernetes.io/hostname; to see \
why an object requests none: extdns explain KIND/NAMESPACE/NAME [flags]

    Answered by this command, in one pass, owner "me", files manifests

    Nothing to plan.
    exit code 0
"""
INVALID: Final = NAMES_NOTHING.replace("Nothing to plan", "0 to create, 0 to update, 0 to delete, 1 invalid value")
SOURCES: Final = ", ".join(name for name in BY_NAME["source"].kind.choices if name)
PROVIDERS: Final = ", ".join(AVAILABLE["provider"])


PLANS: Final = [
    pytest.param(
        {},
        (*RUN, "--domain-filter=shop.exmaple"),
        """
            In no zone

              ! A  web.shop.example  not published  Service shop/web: annotation hostname  [domain-filtered]

            WARNING: --domain-filter=shop.exmaple matches none of your zones: shop.example
              did you mean: --domain-filter=shop.example

            To explain a code in brackets: extdns explain CODE

            Answered by this command, in one pass, owner "me", files manifests

            0 to create, 0 to update, 0 to delete, 1 not published.
            exit code 4
            """,
        id="misspelt domain filter",
    ),
    pytest.param(
        {},
        (*RUN, "--managed-record-types=A,TXT"),
        """
            warning: --managed-record-types=A,TXT is not a record type: it matches nothing
              commas do not separate; write --managed-record-types=A --managed-record-types=TXT
            Zone shop.example (shop.example.zone, zonefile)  1 record, 0 ours

              ! A  web.shop.example  not published  Service shop/web: annotation hostname  [type-unmanaged]

            WARNING: the filters exclude every requested name: web.shop.example
              check --managed-record-types=A,TXT

            To explain a code in brackets: extdns explain CODE

            Answered by this command, in one pass, owner "me", files manifests

            0 to create, 0 to update, 0 to delete, 1 not published.
            exit code 4
            """,
        id="commas in record types",
    ),
    pytest.param(
        {},
        ("--source=service", "--provider=route53"),
        f"""
            error: --provider=route53 is not a provider
              did you mean: aws
              allowed: {PROVIDERS}
            exit code 1
            """,
        id="provider route53",
    ),
    pytest.param(
        {},
        (*RUN[:3], f"--zonefile-dir={ZONE_FILE}"),
        """
            error: --zonefile-dir=zones/shop.example.zone: Not a directory
              did you mean: --zonefile-dir=zones
              allowed: a folder with zone files
            exit code 1
            """,
        id="file instead of folder",
    ),
    pytest.param(
        {},
        (*RUN[:3], "--zonefile-dir=empty"),
        """
            In no zone

              ! A  web.shop.example  not published  Service shop/web: annotation hostname  [no-zone]

            WARNING: --zonefile-dir=empty holds no zone file
              allowed: files named NAME.zone or db.NAME, each with an SOA record; extdns creates no zone files

            To explain a code in brackets: extdns explain CODE

            Answered by this command, in one pass, owner "default", files manifests

            0 to create, 0 to update, 0 to delete, 1 not published.
            exit code 4
            """,
        id="empty zone folder",
    ),
    pytest.param(
        {WEB: manifest(key="external-dns.alpha.kubernetes.io/hostnames")},
        RUN,
        f"""
            Invalid objects (other records unaffected)
              ! Service shop/web: metadata.annotations: 'external-dns.alpha.kubernetes.io/hostnames' is not valid  \
[ignored-annotation]
                allowed: the key external-dns.alpha.kubernetes.io/hostname
            {INVALID}""",
        id="annotation typo",
    ),
    pytest.param(
        {WEB: manifest(value="https://web.shop.example/")},
        RUN,
        f"""
            Invalid objects (other records unaffected)
              ! Service shop/web: annotation hostname: 'https://web.shop.example/' is not valid  [invalid-name]
                allowed: a host name without scheme, port and path, such as web.shop.example
            {INVALID.replace("code 0", "code 1")}""",
        id="URL as hostname",
    ),
    pytest.param(
        {WEB: manifest(ttl="10 minutes")},
        RUN,
        """
            Zone shop.example (shop.example.zone, zonefile)  1 record, 0 ours

              + A  web.shop.example  192.0.2.1  Service shop/web: annotation hostname

            Invalid objects (other records unaffected)
              ! Service shop/web: annotation ttl: '10 minutes' is not valid  [invalid-ttl]
                allowed: seconds (600) or a duration (10m), from 1 to 2147483647 seconds

            Answered by this command, in one pass, owner "me", files manifests

            1 to create, 0 to update, 0 to delete, 1 invalid value.
            exit code 2
            """,
        id="bad TTL",
    ),
    pytest.param(
        {"manifests/lab.yaml": manifest(namespace="lab", address="192.0.2.2")},
        RUN,
        """
            Zone shop.example (shop.example.zone, zonefile)  1 record, 0 ours

              + A  web.shop.example  192.0.2.2      Service lab/web: annotation hostname
              ! A  web.shop.example  not published  Service shop/web: annotation hostname  [requested-by-other]
                   Service lab/web has precedence

            To explain a code in brackets: extdns explain CODE

            Answered by this command, in one pass, owner "me", files manifests

            1 to create, 0 to update, 0 to delete, 1 not published.
            exit code 2
            """,
        id="one host in two namespaces",
    ),
    pytest.param(
        {WEB: "apiVersion: v1\nkind: Service\nmetadata:\n\tname: web\n"},
        RUN,
        """
            INCOMPLETE: manifests/web.yaml:4: not YAML: the line is indented with a tab; allowed: blanks

            Answered by this command, in one pass, owner "me", files manifests

            Nothing to plan, as far as could be read.
            exit code 1
            """,
        id="tab in YAML",
    ),
    pytest.param(
        {WEB: manifest().replace("kind: Service", "kind: Servce")},
        RUN,
        """
            INCOMPLETE: manifests/web.yaml:1: kind Servce of v1 does not exist; did you mean: Service

            Answered by this command, in one pass, owner "me", files manifests

            Nothing to plan, as far as could be read.
            exit code 1
            """,
        id="misspelt kind",
    ),
    pytest.param(
        {},
        AWS,
        """
            In no zone

              ! A  web.shop.example  not known  Service shop/web: annotation hostname  [zones-unknown]

            INCOMPLETE: zones cannot be listed: route53:ListHostedZones: NoCredentialsError: Unable to locate \
credentials: none in AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE (IRSA), AWS_CONTAINER_CREDENTIALS_FULL_URI \
(Pod Identity), the shared configuration, or from the machine's role

            To explain a code in brackets: extdns explain CODE

            Answered by this command, in one pass, owner "me", files manifests

            0 to create, 0 to update, 0 to delete, 1 not known.
            exit code 1
            """,
        id="no credentials",
    ),
]
