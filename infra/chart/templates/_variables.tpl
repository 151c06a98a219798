{{/* Variables of a process. Each template takes a dict of root, name and, for a process of a further cell, cell. */}}

{{/* The plain variables, as JSON: those of the release that the process declares, then its own. */}}
{{- define "tenantscope.variables" -}}
{{- $process := include "tenantscope.process" . | fromJson -}}
{{- $variables := dict -}}
{{- if has "TENANTSCOPE_CONSOLE_API_URL" $process.variables }}{{ $_ := set $variables "TENANTSCOPE_CONSOLE_API_URL" (include "tenantscope.apiUrl" .root) }}{{ end -}}
{{- if has "TENANTSCOPE_URL" $process.variables }}{{ $_ := set $variables "TENANTSCOPE_URL" (include "tenantscope.apiUrl" .root) }}{{ end -}}
{{- range $variable, $value := .root.Values.env -}}
{{- if or (has $variable $process.variables) (and $process.hasFurtherClusters (hasPrefix "TENANTSCOPE_KAFKA_CLUSTER_" $variable)) -}}
{{- $_ := set $variables $variable $value -}}
{{- end -}}
{{- end -}}
{{- range $variable, $value := (index .root.Values .name).env }}{{ $_ := set $variables $variable $value }}{{ end -}}
{{- if .cell -}}
{{- /* A group has members that read the same topics, and the tenant of a canary is in one cell. */ -}}
{{- range list "TENANTSCOPE_CONSUMER_GROUP" "TENANTSCOPE_CANARY_TENANT_ID" "TENANTSCOPE_CANARY_API_URL" }}{{ $_ := unset $variables . }}{{ end -}}
{{- range $variable, $value := (index .root.Values.cells .cell .name).env }}{{ $_ := set $variables $variable $value }}{{ end -}}
{{- $_ := set $variables "TENANTSCOPE_CELL" .cell -}}
{{- end -}}
{{- if and $process.cellVariables .root.Values.cells }}{{ $_ := include "tenantscope.cellVariables" . | fromJson | merge $variables }}{{ end -}}
{{- range $variable, $value := $variables -}}
{{- if kindIs "invalid" $value }}{{ $_ := unset $variables $variable }}{{ end -}}
{{- end -}}
{{- range $process.requiredVariables -}}
{{- if eq (toString (get $variables .)) "" -}}
{{- fail (printf "%s needs %s: set env.%s or %s.env.%s" $.name . . $.name .) -}}
{{- end -}}
{{- end -}}
{{- toJson $variables -}}
{{- end -}}

{{/* The files, as JSON: by variable the Secret, its key and the path below the mount. */}}
{{- define "tenantscope.files" -}}
{{- $process := include "tenantscope.process" . | fromJson -}}
{{- $given := dict -}}
{{- range $variable, $file := .root.Values.files -}}
{{- if or (has $variable $process.files) (and $process.hasFurtherClusters (hasPrefix "TENANTSCOPE_KAFKA_CLUSTER_" $variable)) -}}
{{- $_ := set $given $variable $file -}}
{{- end -}}
{{- end -}}
{{- range $variable, $file := (index .root.Values .name).files }}{{ $_ := set $given $variable $file }}{{ end -}}
{{- if .cell -}}
{{- $database := printf "TENANTSCOPE_%s_DATABASE_URL_FILE" (upper .name) -}}
{{- $control := printf "TENANTSCOPE_%s_CONTROL_DATABASE_URL_FILE" (upper .name) -}}
{{- $own := (index .root.Values.cells .cell .name).files -}}
{{- if not (get $given $control) -}}
{{- /* The control database is that of the cell default unless it has one of its own. */ -}}
{{- if not (get $given $database) -}}
{{- fail (printf "%s of the cell %s needs %s: set %s.files.%s to the Secret that contains it" .name .cell $control .name $control) -}}
{{- end -}}
{{- $_ := set $given $control (merge (deepCopy (get $given $database)) (dict "key" (trimSuffix "_FILE" $database))) -}}
{{- end -}}
{{- $_ := unset $given "TENANTSCOPE_CANARY_API_KEY_FILE" -}}
{{- range $variable, $file := $own }}{{ $_ := set $given $variable $file }}{{ end -}}
{{- end -}}
{{- range $process.requiredFiles -}}
{{- if not (get $given .) -}}
{{- fail (printf "%s needs %s: set %s.files.%s to the Secret that contains it" $.name . $.name .) -}}
{{- end -}}
{{- end -}}
{{- $files := dict -}}
{{- range $variable, $file := $given -}}
{{- if $file -}}
{{- $path := trimSuffix "_FILE" $variable -}}
{{- $key := $path -}}
{{- if hasSuffix "_SSL_CA_FILE" $variable }}{{ $key = "ca.crt" }}{{ end -}}
{{- if hasSuffix "_SSL_CERT_FILE" $variable }}{{ $key = "tls.crt" }}{{ end -}}
{{- if hasSuffix "_SSL_KEY_FILE" $variable }}{{ $key = "tls.key" }}{{ end -}}
{{- $_ := set $files $variable (dict "secret" $file.secret "key" (default $key $file.key) "path" $path) -}}
{{- end -}}
{{- end -}}
{{- toJson $files -}}
{{- end -}}

{{/* Numbers without exponent, booleans of YAML as on and off. */}}
{{- define "tenantscope.value" -}}
{{- if kindIs "string" . }}{{ . }}{{ else if kindIs "bool" . }}{{ ternary "on" "off" . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end -}}

{{- define "tenantscope.apiUrl" -}}
{{- $ports := (include "tenantscope.process" (dict "root" . "name" "api") | fromJson).ports -}}
http://{{ include "tenantscope.fullname" . }}-api:{{ $ports.http }}/api/v1
{{- end -}}
