"""The help of every command. The list of commands, their help and the shell completion are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from extdns.commands.manual import OUTPUT, CommandHelp, Option, output_option

_PLAN_CODES: Final = (
    "0 if there is nothing to do, 2 if there are changes, 3 if deletes are held, 4 if no zone or no object was read or "
    "filters exclude every zone or name (not with --compat), 1 if a flag is wrong or something could not be read, so "
    "that the plan is incomplete. With --fail-on, 5 comes before 3, 2, 4 and 0."
)

PAGES: Final[Mapping[str, CommandHelp]] = {
    "plan": CommandHelp(
        summary="show what would change, and why; write nothing",
        usage=("plan [flags] [options]", "plan --controller=URL [--output=text|json|markdown]"),
        text="""
            Shows what one pass would do: every change with the object that requests it and the evidence, and every
            record that is kept, held or not published, with the reason. Nothing is written: no records, no state, no
            Events.

            Give the flags that extdns runs with; --once and --dry-run are implied. There is no grace period: deletes
            with sufficient evidence are shown as deletes. With --manifests=- the objects are read from standard input.

            Symbols:  + create    ~ update    - delete    ! kept or not published
        """,
        options=(
            Option(
                form="--fail-on=deny|warn",
                text="ends with 5 if a rule denies a record; with `warn`, also if a rule warns. Ends with 1 if there "
                "is no rule, or the policy server does not answer",
            ),
            Option(form="--held", text="shows only held deletes; the exit code is that of the whole plan"),
            Option(
                form="--base=DIR_OR_REF",
                text="shows only what --manifests change compared with another file or folder, or a Git revision",
            ),
            Option(
                form="--zone-snapshot=FILE",
                text="reads the zones from the output of `extdns owners --output=json`, not from the DNS service",
            ),
            Option(
                form="--controller=URL",
                text="shows what a running extdns, at the address of its live page, has planned but not yet "
                "written, and "
                "what it keeps or holds. This costs no call to the cluster or the DNS service, counts grace "
                "periods, and "
                "cannot be used for `extdns apply`",
            ),
            output_option("text", "json", "markdown"),
        ),
        examples=("extdns plan @extdns.flags", "extdns plan @extdns.flags --output=markdown"),
        exit_codes=_PLAN_CODES,
    ),
    "apply": CommandHelp(
        summary="apply the changes of a saved plan, and no others",
        usage=("apply --plan=FILE [flags]",),
        text="""
            Makes exactly the changes of a plan that `extdns plan --output=json` printed. Give the flags that the plan
            was made with. extdns plans again; if the new plan differs from the stored one, because objects, records,
            ownership records, settings, zones or the version of extdns have changed, nothing is written.

            Applying a plan approves its deletes: they need no other approval and do not count in the delete budget.
            Deletes that the plan shows as held stay held.

            Where the DNS service has conditional writes, a record that somebody else changes in the meantime is left
            alone. Events and the status of objects are written only by the running extdns.
        """,
        options=(Option(form="--plan=FILE", text="the plan to apply"),),
        examples=(
            "extdns plan @extdns.flags --output=json > plan.json",
            "extdns apply @extdns.flags --plan=plan.json",
        ),
        exit_codes=(
            "0 if all changes were made, 3 if all were made but deletes are held, 1 if the plan was refused "
            "or a change "
            "was not made."
        ),
    ),
    "explain": CommandHelp(
        summary="trace a name or an object, or explain a reason code",
        usage=(
            "explain NAME [flags | --controller=URL] [--output=text|json]",
            "explain KIND/NAMESPACE/NAME [flags | --controller=URL] [--output=text|json]",
            "explain CODE [--output=text|json]",
        ),
        text="""
            For a name, shows which objects request it and where on the object, which of them is used, the zone, the
            current records and their owners, and what extdns would do and why.

            For an object, such as service/shop/web, shows the same for each of its names. Use KIND/NAME for objects
            without a namespace. For a reason code, shows what it means.

            Without flags, the extdns that runs on this machine answers, if there is one. With the flags of a run, this
            command makes one pass over the objects and the zones; for a name, only over its zones. Nothing is written.
        """,
        options=(
            Option(
                form="--controller=URL",
                text="the running extdns with this address of the live page answers; this costs no call to the cluster "
                "or the DNS service",
            ),
            OUTPUT,
        ),
        examples=(
            "extdns explain web.shop.example @extdns.flags",
            "extdns explain service/shop/web @extdns.flags",
        ),
        exit_codes=("0, or 1 if a flag is wrong, there is no such object or code, or something could not be read."),
    ),
    "owners": CommandHelp(
        summary="list the owners of the records in the zones",
        usage=("owners [flags] [--output=text|json]",),
        text="""
            Lists for each zone the owners of its records, according to the ownership records, and when each owner last
            saved state; orphans (records of ours that no object requests); ownership records that cover no current
            record; and TXT records that read as ownership records but count as ordinary records. Nothing is written.

            The JSON output holds every record of every zone; `extdns plan --zone-snapshot` reads it instead of the
            zones.
        """,
        options=(OUTPUT,),
        examples=("extdns owners @extdns.flags", "extdns owners @extdns.flags --output=json > zones.json"),
        exit_codes="0, or 1 if a flag is wrong or something could not be read.",
    ),
    "migrate": CommandHelp(
        summary="show what a switch from external-dns would change",
        usage=("migrate [flags of external-dns] [--output=text|json]",),
        text="""
            Shows what a switch from external-dns to extdns would change. Give the flags and environment variables
            (EXTERNAL_DNS_*) that external-dns runs with. extdns reads the objects and zones, plans once by its own
            rules and once by those of external-dns (--compat), and compares the two plans. Nothing is written.

            The output separates changes that external-dns would make anyway from those that extdns makes because it
            differs on purpose.
        """,
        options=(OUTPUT,),
        examples=("extdns migrate @extdns.flags", "extdns migrate @extdns.flags --output=json"),
        exit_codes=(
            "0 if the first pass of extdns would change nothing, 2 if it would change something, 3 if deletes are "
            "held, 1 if a flag is wrong or something could not be read."
        ),
    ),
    "adopt": CommandHelp(
        summary="take ownership of existing records that are as objects request",
        usage=("adopt [--yes] [flags] [--output=text|json]",),
        text="""
            Takes ownership of existing records, such as those made by hand or by a tool that is no longer used. A
            record can be adopted if it is exactly as an object requests and nobody owns it. Without --yes, the records
            are only listed.

            With --yes, extdns writes the ownership records and nothing else; no other record changes. A record that
            somebody changes in the meantime is left alone. From then on extdns keeps the adopted records up to date,
            and deletes them when no object requests them. Nothing is written while something cannot be read.

            Records that cannot be adopted are listed with the reason. Records that differ from what objects request
            are not adopted; `extdns plan` shows them.
        """,
        options=(Option(form="--yes", text="writes the ownership records"), OUTPUT),
        examples=("extdns adopt @extdns.flags", "extdns adopt @extdns.flags --yes"),
        exit_codes=(
            "0 if nothing is left to adopt, 2 if something is, 1 if a flag is wrong, something could not be read, or a "
            "record cannot be adopted."
        ),
    ),
    "check": CommandHelp(
        summary="check credentials, permissions and connectivity",
        usage=("check [flags] [--output=text|json]",),
        text="""
            Checks everything that extdns needs, with calls that change nothing: that the API server answers within
            three seconds, and grants each permission that the sources and the other flags need
            (SelfSubjectAccessReview); that every kind of object can be listed, and that an object requests a name;
            that the DNS service accepts the credentials, and lets extdns list and read zones; and that each zone can
            be written.

            Whether a zone can be changed is taken from the service's permission API, for zone files from the
            permissions of the file, and for rfc2136 from an update whose prerequisite never holds. Where only a real
            change could show it, the result is "unknown", with the reason. If no object was read, or if filters
            exclude every zone or name, that counts as missing, and so does a flag value that has no effect. Nothing
            is written.
        """,
        options=(OUTPUT,),
        examples=("extdns check @extdns.flags", "extdns check @extdns.flags --output=json"),
        exit_codes="0 if nothing that extdns needs is missing, otherwise 1.",
    ),
    "policy": CommandHelp(
        summary="check the rules in DNSPolicies, and run tests of them",
        usage=("policy check FILE... [--output=text|json]", "policy test FILE... [--output=text|json]"),
        text="""
            check: reads the DNSPolicies of files and folders, compiles their expressions, and evaluates them once on
            typical records. It warns of typical records for which an expression has no value.

            test: runs the tests in files, each a record with the violations that it is expected to have. Each file with
            tests names the files with the DNSPolicies.
        """,
        options=(OUTPUT,),
        examples=("extdns policy check rules.yaml", "extdns policy test tests.yaml --output=json"),
        exit_codes="0, or 1 if a rule or a test file is invalid, a test failed, or there is no rule or no test.",
        takes_run_flags=False,
    ),
    "iam-policy": CommandHelp(
        summary="print the least IAM policy for AWS",
        usage=(
            "iam-policy [flags]",
            "iam-policy --trust=ARN|pod-identity --service-account=NAMESPACE/NAME",
            "iam-policy --assume [flags]",
        ),
        text="""
            Prints the policy of the role that reads and writes the zones, with only the permissions that the flags
            need: the zones of --zone-id-filter, the names of --domain-filter and --exclude-domains with their ownership
            records, the managed record types, and the actions CREATE and DELETE, of which conditional writes consist;
            with --no-aws-conditional-writes UPSERT, too. Without filters, all zones and names are allowed.

            AWS_REGION, or else AWS_DEFAULT_REGION, decides the partition. --zone-id-filter takes ids of hosted zones,
            such as Z0123456789ABC; for names use --domain-filter.
        """,
        options=(
            Option(
                form="--trust=ARN|pod-identity",
                text="prints the trust policy of the role, for the OIDC provider of the cluster with this ARN "
                "(IRSA), or for "
                "EKS Pod Identity",
            ),
            Option(form="--service-account=NAMESPACE/NAME", text="the service account that may use the role"),
            Option(
                form="--assume",
                text="prints the policy of the pod's own identity, which may only assume --aws-assume-role",
            ),
        ),
        examples=(
            "extdns iam-policy --zone-id-filter=Z0123456789ABC",
            "extdns iam-policy --trust=pod-identity --service-account=external-dns/extdns",
        ),
    ),
    "verify": CommandHelp(
        summary="check that the name servers of a zone serve what objects request",
        usage=("verify [NAME...] [flags] [options]",),
        text="""
            Asks every authoritative name server of the zones for the records that objects request. Each record is

              served       by all name servers,
              published    in the zone, but not served by all name servers yet,
              pending      not in the zone as requested yet,
              unpublished  for the reason that is shown, or
              unknown      if no name server of the zone is known.

            For served records it shows until when caches may answer with older data. Without NAME, all requested names
            are checked, except those that a filter excludes. Nothing is written.
        """,
        options=(
            Option(form="--wait", text="repeats the check until everything is served, at most for --timeout"),
            Option(form="--timeout=DURATION", text="how long --wait waits; default 5m"),
            Option(
                form="--nameserver=ADDRESS[:PORT]",
                text="queries this server instead of those of the zone; repeatable; can be a resolver, for "
                "example for a "
                "private zone",
            ),
            OUTPUT,
        ),
        examples=(
            "extdns verify @extdns.flags",
            "extdns verify web.shop.example @extdns.flags --nameserver=127.0.0.1:5353",
        ),
        exit_codes="0 if every record is served, 2 if not, 1 if a flag is wrong or something could not be read.",
    ),
    "status": CommandHelp(
        summary="list held deletes",
        usage=("status [flags] [--output=text|json]", "status --controller=URL [--output=text|json]"),
        text="""
            Shows the held deletes with one command that approves them all, and how many deletes were made without
            approval in the last ten minutes, and how many are approved. By default it reads the saved state.
        """,
        options=(
            Option(
                form="--controller=URL",
                text="shows the deletes that a running extdns, at the address of its live page, holds now",
            ),
            OUTPUT,
        ),
        examples=("extdns status --state-file=state.json", "extdns status --state-file=state.json --output=json"),
        exit_codes="0, or 1 if an argument is wrong, the saved state cannot be read or no process answers.",
        takes_run_flags=False,
        takes_state_flags=True,
    ),
    "approve": CommandHelp(
        summary="approve held deletes",
        usage=("approve CODE [CODE...] [flags]",),
        text="""
            Approves the held deletes that are shown under CODE, as far as they are still held, for 24 hours. The
            running extdns reads the approval within ten seconds; if none runs, the next one does.

            `extdns status`, the log and the Events of the objects show the code.
        """,
        examples=(
            "extdns approve 7f3a-91c2 --state-file=state.json",
            "extdns approve 7f3a-91c2 0b1c-44de --state-file=state.json",
        ),
        exit_codes="0, or 1 if an argument is wrong or no held deletes have one of the codes.",
        takes_run_flags=False,
        takes_state_flags=True,
    ),
    "accept-cluster": CommandHelp(
        summary="accept that the objects come from another cluster than before",
        usage=("accept-cluster ID [flags]",),
        text="""
            Accepts that the objects come from another cluster than the one that the saved state names. Until then
            extdns creates records, but updates and deletes none. First check that extdns does not run with the
            kubeconfig of a wrong cluster.

            `extdns status` and the decisions with the reason other-cluster show the ID.
        """,
        examples=(
            "extdns accept-cluster 7f3a-91c2 --state-file=state.json",
            "extdns accept-cluster 7f3a-91c2 --state-configmap=dns/extdns-state",
        ),
        exit_codes="0, or 1 if an argument is wrong or no extdns waits until somebody accepts the cluster ID.",
        takes_run_flags=False,
        takes_state_flags=True,
    ),
    "init": CommandHelp(
        summary="make a folder with a manifest, a zone file and flags to start with",
        usage=("init DIR",),
        text="""
            Makes the folder DIR with manifests/web.yaml, zones/shop.example.zone and extdns.flags, whose comments say
            what each flag is for, and prints the commands that use them. A folder that is not empty is left alone.
        """,
        examples=("extdns init my-dns", "extdns init path/to/my-dns"),
        exit_codes="0, or 1 if the folder is not empty or cannot be written.",
        takes_run_flags=False,
    ),
    "demo": CommandHelp(
        summary="publish a small shop into zone files",
        usage=("demo [--web-address=HOST:PORT]",),
        text="""
            Publishes the manifests in examples/demo into copies of the zone files in examples/zones; the copies are in
            .demo. In a terminal it runs until Ctrl-C, and shows what happens when you edit a manifest. Otherwise it
            makes one pass.
        """,
        options=(
            Option(
                form="--web-address=HOST:PORT",
                text="address of the live page, also EXTERNAL_DNS_WEB_ADDRESS; a free port if its port is in use",
            ),
        ),
        examples=("extdns demo", "extdns demo --web-address=:8080"),
        exit_codes="0, or 1 if an argument is wrong, the examples are missing or the pass was interrupted.",
        takes_run_flags=False,
    ),
    "help": CommandHelp(
        summary="show the help of a command, or all flags by topic",
        usage=("help [COMMAND]", "help flags [TOPIC]"),
        text="Shows this help, the help of a command, or the flags whose topic or name contains TOPIC.",
        examples=("extdns help flags deletes", "extdns help plan"),
        takes_run_flags=False,
    ),
    "completion": CommandHelp(
        summary="print the completion script for bash, zsh or fish",
        usage=("completion bash|zsh|fish",),
        text="""
            Prints a script that completes commands, flags and values. For bash, source it in ~/.bashrc; for zsh, write
            it to a file called _extdns in a folder of $fpath; for fish, to ~/.config/fish/completions/extdns.fish.
        """,
        examples=("extdns completion bash > extdns.bash", "extdns completion zsh > _extdns"),
        takes_run_flags=False,
    ),
}
