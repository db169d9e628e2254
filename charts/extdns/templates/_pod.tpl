{{- /* The fields that the pod of the Deployment and that of `helm test` have in common. */}}
{{- define "extdns.pod" -}}
{{- $v := .Values -}}
serviceAccountName: {{ include "extdns.serviceAccount" . }}
{{- /* The variables of a Service called external-dns begin as those of the flags do. */}}
enableServiceLinks: false
{{- with concat ((.Values.global).imagePullSecrets | default list) ($v.imagePullSecrets | default list) }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- $fields := dict "securityContext" $v.podSecurityContext "nodeSelector" $v.nodeSelector "tolerations" $v.tolerations
  "volumes" $v.extraVolumes "automountServiceAccountToken" $v.automountServiceAccountToken }}
{{- with include "extdns.fields" (list $fields "securityContext" "nodeSelector" "tolerations" "volumes" "automountServiceAccountToken") }}
{{ . }}
{{- end }}
{{- end }}

{{- /* The same for the container, without its name, arguments, ports and probes. */}}
{{- define "extdns.container" -}}
{{- $v := .Values -}}
image: {{ include "extdns.image" . }}
{{- $fields := dict "imagePullPolicy" ($v.image).pullPolicy "securityContext" $v.securityContext "volumeMounts" $v.extraVolumeMounts }}
{{- with include "extdns.fields" (list $fields "imagePullPolicy" "securityContext" "volumeMounts") }}
{{ . }}
{{- end }}
env:
  - name: POD_NAME
    valueFrom: {fieldRef: {fieldPath: metadata.name}}
  - name: POD_NAMESPACE
    valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
  {{- range $flag, $ref := $v.secretArgs }}
  {{- if not (include "extdns.isOfSidecar" (list $ $flag)) }}
  - {{ include "extdns.secretVariable" (list $flag $ref) | nindent 4 | trim }}
  {{- end }}
  {{- end }}
  {{- with $v.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- /* The variable for a flag of `secretArgs`: (list FLAG REF) gives YAML. */}}
{{- define "extdns.secretVariable" -}}
name: EXTERNAL_DNS_{{ index . 0 | upper | replace "-" "_" }}
valueFrom:
  secretKeyRef: {{ index . 1 | toJson }}
{{- end }}

{{- /* The values of the sidecar with a webhook provider; empty for `provider: NAME`. */}}
{{- define "extdns.webhook" -}}
{{- if kindIs "map" .Values.provider }}
{{- .Values.provider.webhook | default dict | toYaml }}
{{- end }}
{{- end }}

{{- /* Not empty if the pod has the sidecar. */}}
{{- define "extdns.hasWebhook" -}}
{{- if has "--provider=webhook" (include "extdns.settings" . | fromYamlArray) }}true{{ end }}
{{- end }}

{{- /* The fields of the sidecar. That with external-dns has arguments of its own before those of the values. */}}
{{- define "extdns.sidecar" -}}
{{- $w := include "extdns.webhook" . | fromYaml }}
{{- $image := $w.image | default dict }}
{{- $args := $w.args | default list }}
{{- $env := $w.env | default list }}
{{- $context := $w.securityContext }}
{{- $resources := $w.resources }}
{{- $ours := include "extdns.externalDns" . | fromYaml }}
{{- if $ours }}
  {{- $image = dict "repository" ($image.repository | default "registry.k8s.io/external-dns/external-dns") "tag" ($image.tag | default $ours.version) "pullPolicy" $image.pullPolicy }}
  {{- $context = $context | default .Values.securityContext }}
  {{- $resources = $resources | default (dict "requests" (dict "cpu" "10m" "memory" "96Mi")) }}
  {{- $settings := include "extdns.settings" . | fromYamlArray }}
  {{- $given := list "--webhook-server" (printf "--provider=%s" (include "extdns.provider" .)) "--source=fake" "--metrics-address=:8080" }}
  {{- $given = append $given (printf "--policy=%s" (include "extdns.given" (list "policy" $settings) | fromYamlArray | first | default "sync")) }}
  {{- range $settings }}
    {{- if regexMatch "^--(domain-filter|txt-(owner-id|prefix|suffix)|webhook-provider-(read|write)-timeout)=" . }}
      {{- $given = append $given . }}
    {{- end }}
  {{- end }}
  {{- $args = concat $given (include "extdns.extraByProgram" . | fromYaml).sidecar $args }}
  {{- $own := list }}
  {{- range $env }}
    {{- $own = append $own .name }}
  {{- end }}
  {{- range .Values.env | default list | reverse }}
    {{- if and (include "extdns.isVariableOfSidecar" (list $ .name)) (not (has .name $own)) }}
      {{- $env = prepend $env . }}
    {{- end }}
  {{- end }}
  {{- range $flag, $ref := .Values.secretArgs }}
    {{- if include "extdns.isOfSidecar" (list $ $flag) }}
      {{- $env = append $env (include "extdns.secretVariable" (list $flag $ref) | fromYaml) }}
    {{- end }}
  {{- end }}
{{- end -}}
name: webhook
image: {{ printf "%s:%s" $image.repository (toString $image.tag) }}
{{- $fields := dict "imagePullPolicy" $image.pullPolicy "env" $env "args" $args "volumeMounts" $w.extraVolumeMounts
  "resources" $resources "securityContext" $context "livenessProbe" $w.livenessProbe "readinessProbe" $w.readinessProbe }}
{{- with include "extdns.fields" (list $fields "imagePullPolicy" "env" "args" "volumeMounts" "resources" "securityContext" "livenessProbe" "readinessProbe") }}
{{ . }}
{{- end }}
ports:
  - name: http-webhook
    containerPort: 8080
{{- end }}
