{{/* Rules of network policies. */}}

{{/* An egress rule: a dict of to, ports and, for the DNS, protocols. Without peers it allows every address. */}}
{{- define "tenantscope.egress" -}}
- ports:
    {{- range $port := .ports }}
    {{- range $protocol := default (list "TCP") $.protocols }}
    - { protocol: {{ $protocol }}, port: {{ int $port }} }
    {{- end }}
    {{- end }}
  {{- with .to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Pods of the release by component, as a peer: a dict of root and name. */}}
{{- define "tenantscope.peer" -}}
podSelector:
  matchLabels: {{- include "tenantscope.selector" . | nindent 4 }}
{{- end -}}

{{/* The names of destinations of a process in networkPolicy, as JSON: a dict of root and name. */}}
{{- define "tenantscope.destinations" -}}
{{- $process := include "tenantscope.process" . | fromJson -}}
{{- $variables := include "tenantscope.variables" . | fromJson -}}
{{- $names := $process.stores -}}
{{- if eq .name "collect" }}{{ $names = append $names "providers" }}{{ end -}}
{{- if $variables.TENANTSCOPE_CONSOLE_OIDC_ISSUER }}{{ $names = append $names "identityProvider" }}{{ end -}}
{{- if $variables.TENANTSCOPE_TRACES_URL }}{{ $names = append $names "traces" }}{{ end -}}
{{- range $variable, $_ := $variables -}}
{{- if hasSuffix "_SASL_OAUTH_TOKEN_URL" $variable }}{{ $names = append $names "tokenEndpoint" }}{{ end -}}
{{- end -}}
{{- toJson (uniq $names) -}}
{{- end -}}

{{/* The specification of the policy of a process: a dict of root and name. */}}
{{- define "tenantscope.networkPolicy" -}}
{{- $policy := .root.Values.networkPolicy -}}
{{- $ports := (include "tenantscope.process" . | fromJson).ports -}}
{{- $apiPort := (include "tenantscope.process" (dict "root" .root "name" "api") | fromJson).ports.http -}}
podSelector:
  matchLabels: {{- include "tenantscope.selector" . | nindent 4 }}
policyTypes: [Ingress, Egress]
egress:
  {{- include "tenantscope.egress" (dict "to" $policy.dns.to "ports" $policy.dns.ports "protocols" (list "UDP" "TCP")) | nindent 2 }}
  {{- range include "tenantscope.destinations" . | fromJsonArray }}
  {{- include "tenantscope.egress" (index $policy .) | nindent 2 }}
  {{- end }}
  {{- range include "tenantscope.cellDestinations" . | fromJsonArray }}
  {{- with (index $.root.Values.cells .).postgres }}
  {{- include "tenantscope.egress" (dict "to" .to "ports" (default $policy.postgres.ports .ports)) | nindent 2 }}
  {{- end }}
  {{- end }}
  {{- if has .name (list "console" "cli") }}
  - ports: [{ protocol: TCP, port: {{ $apiPort }} }]
    to:
      - {{- include "tenantscope.peer" (dict "root" .root "name" "api") | nindent 8 }}
  {{- end }}
ingress:
  {{- if eq .name "api" }}
  - ports: [{ protocol: TCP, port: {{ $ports.http }} }]
    from:
      - {{- include "tenantscope.peer" (dict "root" .root "name" "console") | nindent 8 }}
      - {{- include "tenantscope.peer" (dict "root" .root "name" "cli") | nindent 8 }}
      {{- with $policy.api.from }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  {{- else if and (eq .name "console") $policy.console.from }}
  - ports: [{ protocol: TCP, port: {{ $ports.http }} }]
    from: {{- toYaml $policy.console.from | nindent 6 }}
  {{- end }}
  {{- if and $ports $policy.metrics.from }}
  - ports: [{ protocol: TCP, port: {{ $ports.health }} }]
    from: {{- toYaml $policy.metrics.from | nindent 6 }}
  {{- end }}
{{- end -}}
