/** The sources of each section, by the names of the source states. */
export const sectionSources: Readonly<Record<string, readonly string[]>> = {
  inventory: ['agents', 'users', 'logs'],
  permissions: ['agents', 'logs'],
  activity_summary: ['logs', 'agents', 'files'],
  lifecycle_events: ['logs', 'agents'],
  threat_events: ['logs', 'agents', 'security_alerts'],
  instruction_changes: ['agents'],
  store_shelf: ['agents'],
  third_party_apps: ['apps', 'users', 'logs'],
  ai_app_reach: ['apps', 'agents', 'files', 'sensitive_info_types', 'data_restrictions', 'logs'],
  ai_policy_scans: ['policy_scans'],
  ai_detections: ['detections'],
  data_restrictions: ['data_restrictions', 'sensitive_info_types', 'files', 'logs'],
  restriction_history: ['data_restrictions'],
  fria_systems: ['agents', 'users', 'files', 'data_restrictions', 'detections', 'logs'],
  fria_summary: ['agents', 'data_restrictions', 'detections', 'logs'],
  remediation: ['actions'],
};
