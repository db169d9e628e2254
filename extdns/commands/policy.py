"""`extdns policy`: check and test the rules in DNSPolicies, and export an admission policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from extdns.command import OUTPUT, command
from extdns.commands.output import JSON, show, show_document, warn
from extdns.flags import parser
from extdns.flags.kind import make_choice_kind
from extdns.flags.parser import KindType
from extdns.flags.rules import CLUSTER_POLICIES
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.cel.policy import CompiledPolicy
    from extdns.commands.admission_policy import AdmissionScope
    from extdns.flags.validation import Values

_ACTIONS: Final = ("check", "test", "export")


@command(
    flags="For export, the flags of a run, such as --source, and their environment variables apply: extdns help flags",
    examples=("extdns policy check rules.yaml", "extdns policy export --source=service --source=ingress"),
    exit_codes="0, or 1 if a rule or a test file is invalid, a test failed, or there is no rule or no test.",
)
@click.argument("action", metavar="|".join(_ACTIONS), type=KindType(make_choice_kind("an action", *_ACTIONS)))
@click.argument("files", metavar="[FILE...]", nargs=-1)
@OUTPUT
def main(flags: Sequence[str], environ: Mapping[str, str], *, action: str, files: Sequence[str], output: str) -> int:
    """Check rules, run tests of them, or export what the API server can check itself.

    check: read the DNSPolicies of files and folders, compile their expressions, and evaluate them once on typical
    records. It warns of typical records for which an expression has no value.

    test: run the tests in files, each a record with the violations that it is expected to have. Each file with tests
    names the files with the DNSPolicies.

    export: print a ValidatingAdmissionPolicy and its binding, with which the API server refuses objects of --source
    whose annotations have invalid hostnames, targets, TTLs or other values; and one for each rule of --policy-rules
    that only reads the object and its namespace.
    """
    from extdns.commands.policy_files import check_policies, load_policies, test_policies
    from extdns.controller.exit_codes import DONE, FAILED
    from extdns.documents.check import format_policy_check, format_policy_tests

    if action == "export":
        if files:
            raise usage_error(f"extdns policy export takes no file: {files[0]}", "allowed: flags, as --source=service")
        values = parser.apply_defaults(parser.parse_settings(flags, environ))
        _export(_read_scope(values), load_policies(_list_rule_paths(values)), output)
        return DONE
    if flags or not files:
        problem = f"takes no flag of a run: {flags[0]}" if flags else "needs a file"
        raise usage_error(f"extdns policy {action} {problem}", f"allowed: extdns policy {action} FILE...")
    if action == "check":
        checked = check_policies(files)
        show_document(checked, format_policy_check(checked), output)
        return FAILED if not checked.policies or any(one.problems for one in checked.policies) else DONE
    tested = test_policies(files)
    show_document(tested, format_policy_tests(tested), output)
    return FAILED if tested.problems or not tested.tests or any(not one.passed for one in tested.tests) else DONE


def _list_rule_paths(values: Values) -> Sequence[str]:
    paths: Sequence[str] = values["policy-rules"]
    if CLUSTER_POLICIES in paths:
        raise usage_error(
            f"extdns policy export reads no rule from the cluster: --policy-rules={CLUSTER_POLICIES}",
            "kubectl get dnspolicies -o yaml > rules.yaml, and give --policy-rules=rules.yaml",
        )
    return paths


def _read_scope(values: Values) -> AdmissionScope:
    """Return what the program checks with these values of flags; required ones but `--source` may be missing."""
    from extdns.app.source_specs import load_spec
    from extdns.commands.admission_policy import AdmissionScope
    from extdns.flags.process import ClusterFlags, ControlFlags
    from extdns.flags.sources import SourceFlags
    from extdns.kube.unstructured_resources import guess_kind, parse_resource
    from extdns.sources.common.annotations import choose_prefixes, read_no_options

    sources, control = SourceFlags.from_values(values), ControlFlags.from_values(values)
    specs = [load_spec(name) for name in sources.names]
    kinds = {
        kind: spec
        for spec in specs
        if spec.options is not read_no_options
        for kind in spec.find_kinds(sources, lambda texts: tuple(guess_kind(parse_resource(one)) for one in texts))
    }
    if not kinds:
        raise usage_error(
            "extdns policy export has no kind of object to check",
            "give --source, as --source=service; objects of the sources crd, empty, fake and gloo-proxy have none of "
            "the annotations",
        )
    return AdmissionScope(
        kinds=kinds,
        prefixes=choose_prefixes(sources, compat=control.compat),
        namespaces=tuple(filter(None, [ClusterFlags.from_values(values).namespace])),
        labels=sources.label_filter,
        annotations=sources.annotation_filter,
        checks_names=not control.compat,
        checks_targets=not sources.force_default_targets,
    )


def _export(scope: AdmissionScope, rules: Sequence[CompiledPolicy], output: str) -> None:
    import json

    import yaml

    from extdns.commands.admission_policy import build_annotation_policy, build_rule_policy, is_exportable

    documents = list(build_annotation_policy(scope))
    for rule in filter(is_exportable, rules):
        documents += build_rule_policy(scope, rule)
    others = [rule.name for rule in rules if not is_exportable(rule)]
    if others:
        warn([f"not exported, because they read more than the object and its namespace: {', '.join(others)}"])
    if output == JSON:
        show(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}, indent=2) + "\n")
        return
    show(yaml.safe_dump_all(documents, sort_keys=False, width=float("inf"), allow_unicode=True))
