import { randomUUID } from 'node:crypto';

/** A synthetic Microsoft Graph alert. */
export function graphAlert(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: `da${randomUUID()}_1`,
    title: 'Suspicious inbox rule',
    severity: 'high',
    status: 'new',
    category: 'DefenseEvasion',
    serviceSource: 'microsoftDefenderForOffice365',
    createdDateTime: '2026-11-20T08:00:00Z',
    lastUpdateDateTime: '2026-11-20T09:00:00Z',
    firstActivityDateTime: '2026-11-20T07:00:00Z',
    evidence: [],
    ...changes,
  };
}

/** An alert event as the Management Activity API reports it. */
export function alertEvent(alertId: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    CreationTime: '2026-11-20T08:03:00',
    Id: randomUUID(),
    Operation: 'AlertTriggered',
    RecordType: 40,
    UserType: 4,
    UserId: 'SecurityComplianceAlerts',
    UserKey: 'SecurityComplianceAlerts',
    Workload: 'SecurityComplianceCenter',
    AlertId: alertId,
    Name: 'Creation of forwarding rule',
    Severity: 'Medium',
    Category: 'ThreatManagement',
    Status: 'Active',
    Source: 'Office 365 Security & Compliance',
    Data: '{"ad":"Someone set up a forwarding rule.","ts":"2026-11-20T07:58:00Z"}',
    ...changes,
  };
}

/** The payload as one Kafka message of raw.alert, CloudEvents in binary mode; a string is the unchanged value. */
export function alertMessage(
  tenantId: string,
  payload: unknown,
  format = 'graph.security.alert',
): { key: string | null; value: Buffer; headers: Record<string, string> } {
  return {
    key: null,
    value: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    headers: {
      ce_specversion: '1.0',
      ce_id: randomUUID(),
      ce_source: '/collectors/test',
      ce_type: `tenantscope.raw.${format.replaceAll('.', '-')}.v1`,
      ce_tenantid: tenantId,
    },
  };
}
