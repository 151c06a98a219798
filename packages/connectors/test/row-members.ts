/** How the members of rows are read from a file that maps them: each pattern captures one name, or several with spaces between. */
export interface RowMembers {
  readonly schemas: readonly string[];
  readonly patterns: readonly RegExp[];
  /** The least number of names that the file has. */
  readonly least: number;
}

export const rowMembers: Readonly<Record<string, RowMembers>> = {
  'splunk/TA-tenantscope/default/props.conf': {
    schemas: ['AuditLogEvent', 'Detection', 'SecurityAlert'],
    patterns: [/(?<=^FIELDALIAS.*[ =])([a-z]\w*)(?:\.\w+)? AS /gm, /'([a-z]\w*)' ==/g],
    least: 20,
  },
  'splunk/TA-tenantscope/bin/tenantscope.py': {
    schemas: ['AuditLogEvent', 'Detection'],
    patterns: [/"time": "(\w+)"/g],
    least: 2,
  },
  'airbyte/manifest.yaml': {
    schemas: ['AuditLogEvent', 'Detection'],
    patterns: [/cursor_field: (\w+)/g, /primary_key: \[(\w+)\]/g],
    least: 4,
  },
  'sentinel/template.json': {
    schemas: ['AuditLogEvent', 'Detection'],
    patterns: [/(?<=project .*) = (\w+)(?=,|")/g],
    least: 50,
  },
  'elastic/ingest-pipeline.json': {
    schemas: ['AuditLogEvent'],
    patterns: [/tenantscope\??\.(?!logs)(\w+)/g],
    least: 20,
  },
  'elastic/filebeat-cel.yml': { schemas: ['AuditLogEvent'], patterns: [/tenantscope\.(id|tenantId)/g], least: 2 },
  'cribl/collector.json': { schemas: ['AuditLogEvent'], patterns: [/(?<=: )(discoveredAt)\b/g], least: 1 },
  'cribl/breaker.json': { schemas: ['AuditLogEvent'], patterns: [/\/\\"(\w+)\\"/g], least: 1 },
  'google-secops/parser.conf': {
    schemas: ['AuditLogEvent'],
    patterns: [/%\{(\w+)\}/g, /if \[(?!not_json)(\w+)\]/g, /^ {6}"(\w+)" => ""/gm, /=> "(actorIp)"/g],
    least: 20,
  },
  'vector/vector.yaml': { schemas: ['AuditLogEvent'], patterns: [/parse_timestamp!\(\.(\w+)/g], least: 1 },
  'fluent-bit/fluent-bit.yaml': { schemas: ['AuditLogEvent'], patterns: [/time_key: (\w+)/g], least: 1 },
  'logstash/tenantscope.conf': {
    schemas: ['AuditLogEvent'],
    patterns: [/match => \["(\w+)"/g, /source => \["(\w+)", "\w+"\]/g, /source => \["\w+", "(\w+)"\]/g],
    least: 3,
  },
  'opentelemetry/collector.yaml': {
    schemas: ['AuditLogEvent'],
    patterns: [/parse_from: attributes\.(\w+)/g],
    least: 1,
  },
  'datadog/pipeline.json': { schemas: ['AuditLogEvent'], patterns: [/"sources": \["(\w+)"\]/g], least: 8 },
  'sumo-logic/sources.json': {
    schemas: ['AuditLogEvent', 'Detection'],
    patterns: [/"locator": "\\"(\w+)\\"/g],
    least: 2,
  },
  'wazuh/rules.xml': {
    schemas: ['AuditLogEvent', 'Detection'],
    patterns: [/\$\((\w+)\)/g, /field name="(?!product|list)(\w+)"/g],
    least: 5,
  },
  'panther/schema.yml': { schemas: ['AuditLogEvent'], patterns: [/- name: (\w+)/g], least: 40 },
  'tines/story.json': { schemas: ['Detection'], patterns: [/detection\.(\w+)>>/g], least: 1 },
};
