{{/* Names and labels. */}}

{{- define "tenantscope.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change, of one component: a dict of root and name. */}}
{{- define "tenantscope.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "tenantscope.labels" -}}
{{ include "tenantscope.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{- define "tenantscope.image" -}}
{{- with .Values.image -}}
{{- with .registry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- .repository -}}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Deployments that are part of this release, as JSON. */}}
{{- define "tenantscope.deployments" -}}
{{- $names := list "api" "ingest" "jobs" "console" -}}
{{- if .Values.collect.enabled }}{{ $names = append $names "collect" }}{{ end -}}
{{- toJson (append $names "cli") -}}
{{- end -}}

{{/* What the declared configuration of a process contains, as JSON: a dict of root and name. */}}
{{- define "tenantscope.process" -}}
{{- index (.root.Files.Get "files/processes.json" | fromJson) .name | toJson -}}
{{- end -}}
