import type { Company } from '../company.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import { derivePick } from '../inventory/file-attributes.ts';
import { deriveGuid, deriveNumber } from '../random.ts';

const kinds = [
  ['User reported phishing', 'Gmail phishing', 'HIGH', 'NOT_STARTED'],
  ['Suspicious login', 'Google identity', 'LOW', 'CLOSED'],
  ['Drive settings changed', 'Google Operations', 'MEDIUM', 'IN_PROGRESS'],
] as const;

/** Alerts of the Google Alert Center, if the company uses Google too. */
export function createGoogleAlerts(company: Company, endMs: number): DemoState[] {
  if (!company.plan.feeds.includes('google')) return [];
  return kinds.map(([type, source, severity, status], index) => {
    const id = deriveGuid(company.plan.azureTenantId, 'google alert', type);
    const person = derivePick(company.employees, id);
    const createdMs = endMs - (index * 6 + 2) * 86_400_000 - deriveNumber(80_000_000, id);
    const updatedMs = createdMs + (status === 'NOT_STARTED' ? 0 : 7_200_000);
    return {
      topic: 'rawAlert',
      format: 'google.alertcenter.alert',
      kind: 'alert',
      id,
      changedAtMs: updatedMs,
      record: {
        alertId: id,
        customerId: `C0${deriveNumber(10 ** 7, company.plan.domain)}`,
        type,
        source,
        createTime: formatInstant(createdMs),
        startTime: formatInstant(createdMs - 600_000),
        updateTime: formatInstant(updatedMs),
        data: {
          '@type': 'type.googleapis.com/google.apps.alertcenter.type.AccountWarning',
          email: person.userPrincipalName,
        },
        metadata: {
          alertId: id,
          status,
          severity,
          updateTime: formatInstant(updatedMs),
          etag: deriveGuid(id).slice(0, 8),
        },
        securityInvestigationToolLink: `https://admin.${company.plan.domain}/investigate/${id}`,
      },
    };
  });
}
