{{/* Names and labels. */}}

{{- define "tenantscope.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change, of one component: a dict of root, name and, for a process of a further cell, cell. */}}
{{- define "tenantscope.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ include "tenantscope.component" . }}
{{- end -}}

{{- define "tenantscope.component" -}}
{{- if .cell }}{{ printf "%s-%s" .name .cell }}{{ else }}{{ .name }}{{ end -}}
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

{{/* Deployments that are part of this release, as JSON: the name of the process and, of further cells, that of the cell. */}}
{{- define "tenantscope.deployments" -}}
{{- $found := list -}}
{{- range list "api" "ingest" "jobs" "console" }}{{ $found = append $found (dict "name" .) }}{{ end -}}
{{- if .Values.collect.enabled }}{{ $found = append $found (dict "name" "collect") }}{{ end -}}
{{- $found = append $found (dict "name" "cli") -}}
{{- range $cell, $_ := .Values.cells -}}
{{- range list "ingest" "jobs" }}{{ $found = append $found (dict "name" . "cell" $cell) }}{{ end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}

{{/* The values of a process, as JSON; those of a further cell are those of the cell default where it has none of its own. Without env and files. */}}
{{- define "tenantscope.values" -}}
{{- $values := deepCopy (index .root.Values .name) -}}
{{- if .cell -}}
{{- range $key, $value := index .root.Values.cells .cell .name }}{{ $_ := set $values $key $value }}{{ end -}}
{{- end -}}
{{- omit $values "env" "files" | toJson -}}
{{- end -}}

{{/* What the declared configuration of a process contains, as JSON: a dict of root and name. */}}
{{- define "tenantscope.process" -}}
{{- index (.root.Files.Get "files/processes.json" | fromJson) .name | toJson -}}
{{- end -}}
