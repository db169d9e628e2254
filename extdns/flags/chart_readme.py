"""The readme of the Helm chart, made from its schema.

`python -m extdns.flags.chart_readme > charts/extdns/README.md`
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from extdns.flags.chart_schema import build_schema
from extdns.flags.chart_values import CHART

_TEXT: Final = """\
# {name}

{description}.

Values of external-dns's chart have the same meaning here, and its releases can be upgraded: [how][tutorial].

```console
$ helm upgrade --install external-dns oci://{registry}/charts/{name} --version {version} \\
    --namespace external-dns --create-namespace \\
    --set policy=upsert-only --set provider.name=aws --set txtOwnerId=my-cluster
$ helm test external-dns --namespace external-dns --logs
```

`helm test` asks the program whether it is ready, and runs `extdns check`, which reports missing permissions,
credentials and objects. More: [install with Helm][install], [memory by size][sizing], [all flags][flags].

[tutorial]: {docs}/tutorials/from-the-external-dns-chart.md
[install]: {docs}/how-to/install-with-helm.md
[sizing]: {docs}/reference/sizing.md
[flags]: {docs}/reference/flags.md

## Values

Every value may be null, which renders nothing. `extraArgs` takes the flags that have no value of their own.

| Value | Default | Description |
|---|---|---|
"""


def render_readme() -> str:
    """Return the text of `charts/extdns/README.md`."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    (image,) = yaml.safe_load(chart["annotations"]["artifacthub.io/images"])
    registry = image["image"].rpartition("/")[0]
    head = _TEXT.format(**chart, docs=f"{chart['home']}/blob/main/docs", registry=registry)
    return head + "".join(_list_rows(build_schema(), ""))


def _list_rows(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    for name, field in schema["properties"].items():
        nested = "default" not in field and "properties" in field
        default = "" if nested else f"`{json.dumps(field.get('default'), ensure_ascii=False)}`"
        text = field["description"].replace("|", "\\|")
        yield f"| `{path}{name}` | {default} | {text} |\n"
        if nested:
            yield from _list_rows(field, f"{path}{name}.")


if __name__ == "__main__":
    sys.stdout.write(render_readme())
