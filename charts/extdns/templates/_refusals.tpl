{{- /*
Everything about the values that the program or the cluster would refuse, and that the schema cannot explain. Fails once,
with a line for each problem: the value, the reason, and what to do.
*/}}
{{- define "extdns.refusals" -}}
{{- $problems := list }}
{{- range list "extdns.imageProblems" "extdns.modeProblems" "extdns.argProblems" "extdns.secretProblems" "extdns.memoryProblems" "extdns.opaProblems" }}
  {{- $problems = concat $problems (include . $ | fromYamlArray) }}
{{- end }}
{{- if $problems }}
  {{- fail (printf "extdns cannot run with these values:\n  - %s\n" (join "\n  - " $problems)) }}
{{- end }}
{{- end }}

{{- define "extdns.imageProblems" -}}
{{- $image := .Values.image | default dict }}
{{- $problems := list }}
{{- if regexMatch "(^|/)external-dns([@:].*)?$" ($image.repository | default "") }}
  {{- $problems = append $problems (printf "image.repository %s is the image of external-dns, which would start with the arguments and permissions of extdns. Remove image.repository, image.tag and image.digest from your values; for a mirror, name a repository with another last part. With helm upgrade --reuse-values it comes from the former chart: use --reset-then-reuse-values instead." $image.repository) }}
{{- else if and (not $image.repository) (hasPrefix "v" ($image.tag | default "" | toString)) }}
  {{- $problems = append $problems (printf "image.tag %s is a version of external-dns; versions of extdns have no v. Remove image.tag from your values; its default is %s." $image.tag .Chart.AppVersion) }}
{{- end }}
{{- toYaml $problems }}
{{- end }}

{{- define "extdns.modeProblems" -}}
{{- $problems := list }}
{{- if and .Values.txtPrefix .Values.txtSuffix }}
  {{- $problems = append $problems "txtPrefix and txtSuffix exclude each other. Remove one of them." }}
{{- end }}
{{- $settings := include "extdns.settings" . | fromYamlArray }}
{{- if and (include "extdns.compat" .) (not (include "extdns.isGiven" (list "policy" $settings))) }}
  {{- $problems = append $problems "policy is not set. Older versions of external-dns's chart have the default upsert-only; set policy: upsert-only to go on without deletes, or policy: sync to delete records that no object requests." }}
{{- end }}
{{- $provider := include "extdns.provider" . }}
{{- if include "extdns.externalDns" . | fromYaml }}
  {{- if not (include "extdns.given" (list "domain-filter" $settings) | fromYamlArray) }}
    {{- $problems = append $problems (printf "domainFilters is empty. extdns reaches %s through external-dns, which does not say which zones it has. Set domainFilters: [ZONE]." $provider) }}
  {{- end }}
  {{- range .Values.env }}
    {{- if and (.valueFrom).secretKeyRef (include "extdns.isVariableOfSidecar" (list $ .name)) }}
      {{- $problems = append $problems (printf "env: %s is for external-dns, through which extdns reaches %s; extdns needs no credentials. Move it to provider.webhook.env." .name $provider) }}
    {{- end }}
  {{- end }}
{{- else if include "extdns.hasWebhook" . }}
  {{- $image := (include "extdns.webhook" . | fromYaml).image | default dict }}
  {{- if not (and $image.repository $image.tag) }}
    {{- $problems = append $problems "provider.webhook.image: repository and tag of the sidecar are required with provider.name: webhook. Set both." }}
  {{- end }}
{{- end }}
{{- if gt (int .Values.replicaCount) 1 }}
  {{- range list "--provider=octodns" "--provider=webhook" }}
    {{- if has . $settings }}
      {{- $problems = append $problems (printf "replicaCount %d and %s do not go together: without conditional writes two replicas could write at once. Set replicaCount: 1." (int $.Values.replicaCount) .) }}
    {{- end }}
  {{- end }}
  {{- range list "--no-leader-elect" "--compat" "--no-aws-conditional-writes" }}
    {{- if has . $settings }}
      {{- $problems = append $problems (printf "replicaCount %d and %s do not go together: several replicas elect one that writes. Set replicaCount: 1, or remove %s." (int $.Values.replicaCount) . .) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- if (.Values.secretConfiguration).enabled }}
  {{- $mount := .Values.secretConfiguration.mountPath | default "PATH" }}
  {{- $name := printf "%s-files" (include "extdns.fullname" .) }}
  {{- $problems = append $problems (printf "secretConfiguration.enabled: extdns keeps no secrets in values. Create a Secret, such as %s, with the keys %s, and set secretConfiguration.enabled: false, extraVolumes: [{name: secrets, secret: {secretName: %s}}], extraVolumeMounts: [{name: secrets, mountPath: %s%s}]." $name (keys (.Values.secretConfiguration.data | default dict) | sortAlpha | join ", ") $name $mount (ternary (printf ", subPath: %s" .Values.secretConfiguration.subPath) "" (not (empty .Values.secretConfiguration.subPath)))) }}
{{- end }}
{{- toYaml $problems }}
{{- end }}

{{- define "extdns.argProblems" -}}
{{- $flags := .Files.Get "files/flags.yaml" | fromYaml }}
{{- $args := include "extdns.args" . | fromYamlArray }}
{{- $problems := list }}
{{- $seen := list }}
{{- range $args }}
  {{- $flag := splitList "=" . | first | trimPrefix "--" }}
  {{- $positive := and (hasPrefix "no-" $flag) (has (trimPrefix "no-" $flag) $flags.switches) | ternary (trimPrefix "no-" $flag) $flag }}
  {{- if and (hasPrefix "@" .) (not (hasPrefix "--" .)) }}
  {{- else if not (and (hasPrefix "--" .) (or (has $positive $flags.switches) (has $positive $flags.valued))) }}
    {{- $more := include "extdns.externalDns" $ | fromYaml | empty | ternary "" " If external-dns has it, move it to provider.webhook.args." }}
    {{- $problems = append $problems (printf "extraArgs: %s is no flag of extdns (docs/reference/flags.md). Remove or correct it.%s" (ternary (printf "--%s" $flag) . (hasPrefix "--" .)) $more) }}
  {{- else if and (has $flag $flags.valued) (not (contains "=" .)) }}
    {{- $problems = append $problems (printf "extraArgs: --%s has no value. Give it one, or remove it." $flag) }}
  {{- else if and (has $positive $flags.switches) (contains "=" .) }}
    {{- $problems = append $problems (printf "extraArgs: %s is a switch, which takes no value. Give --%s or --no-%s." . (trimPrefix "no-" $positive) (trimPrefix "no-" $positive)) }}
  {{- else if and (has $positive $seen) (not (has $positive $flags.repeatable)) }}
    {{- $problems = append $problems (printf "extraArgs: --%s is given twice. Remove it from extraArgs, or remove the value that also sets it." $positive) }}
  {{- end }}
  {{- $seen = append $seen $positive }}
{{- end }}
{{- $settings := include "extdns.settings" . | fromYamlArray }}
{{- range $kind := $flags.kinds }}
  {{- range $flag := $kind.flags }}
    {{- range include "extdns.given" (list $flag $settings) | fromYamlArray }}
      {{- if not (or (contains "$(" .) (regexMatch $kind.pattern .)) }}
        {{- $problems = append $problems (printf "--%s=%s is not %s. Allowed: %s." $flag . $kind.noun $kind.allowed) }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- $values := dict "provider" "provider.name" "registry" "registry" "source" "sources" }}
{{- range $flag, $available := $flags.available }}
  {{- range include "extdns.given" (list $flag $settings) | fromYamlArray }}
    {{- if and . (not (has . $available)) }}
      {{- $more := eq $flag "provider" | ternary "docs/reference/provider-ways.md has ways to others, or stay" "Stay" }}
      {{- $problems = append $problems (printf "%s: this version of extdns has no %s %s; it has %s. %s with external-dns for this release." (get $values $flag) $flag . (join ", " $available) $more) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toYaml $problems }}
{{- end }}

{{- define "extdns.secretProblems" -}}
{{- $flags := .Files.Get "files/flags.yaml" | fromYaml }}
{{- $problems := list }}
{{- range include "extdns.extra" . | fromYamlArray }}
  {{- $flag := splitList "=" . | first | trimPrefix "--" }}
  {{- if has $flag $flags.secret }}
    {{- $problems = append $problems (printf "extraArgs: --%s is a secret, and would be readable in the Deployment. Put it into a Secret, and set secretArgs: {%s: {name: SECRET, key: KEY}}." $flag $flag) }}
  {{- end }}
{{- end }}
{{- range .Values.env }}
  {{- if and .value (has .name $flags.secretVariables) }}
    {{- $problems = append $problems (printf "env: %s is a secret, and would be readable in the Deployment. Put it into a Secret, and set env: [{name: %s, valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}]." .name .name) }}
  {{- end }}
{{- end }}
{{- toYaml $problems }}
{{- end }}

{{- /* 96Mi for the first 1,000 names and 7Mi for each further 1,000, 16Mi more with rules: docs/reference/sizing.md. */}}
{{- define "extdns.memoryProblems" -}}
{{- $problems := list }}
{{- $names := .Values.names | default 0 | float64 }}
{{- $needed := max 0 (divf (subf $names 1000.0) 1000.0 | ceil) | mul 7 | add 96 }}
{{- if include "extdns.isGiven" (list "policy-rules" (include "extdns.settings" . | fromYamlArray)) }}
  {{- $needed = add $needed 16 }}
{{- end }}
{{- with ((.Values.resources).limits).memory }}
  {{- if lt (include "extdns.mebibytes" . | float64) (float64 $needed) }}
    {{- $problems = append $problems (printf "resources.limits.memory %s: extdns needs at least %dMi for %.0f names (docs/reference/sizing.md). Raise or remove it, or correct names." (toString .) $needed $names) }}
  {{- end }}
{{- end }}
{{- toYaml $problems }}
{{- end }}

{{- /* A quantity of memory in MiB. */}}
{{- define "extdns.mebibytes" -}}
{{- $number := regexFind "^[0-9.]+" (kindIs "float64" . | ternary (int64 .) . | toString) | float64 }}
{{- $unit := regexFind "[A-Za-z]*$" (toString .) }}
{{- $bytes := dict "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 }}
{{- divf (mulf $number (get $bytes $unit | default 1e12)) 1048576.0 }}
{{- end }}
