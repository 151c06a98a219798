import { guidOf, numberOf } from '../chance.ts';
import type { Company } from '../company.ts';
import { type DemoState, shown } from '../demo-state.ts';
import { one } from '../estate/file-facts.ts';

const kinds = [
  ['User reported phishing', 'Gmail phishing', 'HIGH', 'NOT_STARTED'],
  ['Suspicious login', 'Google identity', 'LOW', 'CLOSED'],
  ['Drive settings changed', 'Google Operations', 'MEDIUM', 'IN_PROGRESS'],
] as const;

/** Alerts of Google's Alert Center, where the company is with Google too. */
export function googleAlerts(company: Company, endMs: number): DemoState[] {
  if (!company.plan.feeds.includes('google')) return [];
  return kinds.map(([type, source, severity, status], index) => {
    const id = guidOf(company.plan.azureTenantId, 'google alert', type);
    const person = one(company.people, id);
    const createdMs = endMs - (index * 6 + 2) * 86_400_000 - numberOf(80_000_000, id);
    const updatedMs = createdMs + (status === 'NOT_STARTED' ? 0 : 7_200_000);
    return {
      topic: 'rawAlert',
      format: 'google.alertcenter.alert',
      kind: 'alert',
      id,
      changedAtMs: updatedMs,
      record: {
        alertId: id,
        customerId: `C0${numberOf(10 ** 7, company.plan.domain)}`,
        type,
        source,
        createTime: shown(createdMs),
        startTime: shown(createdMs - 600_000),
        updateTime: shown(updatedMs),
        data: {
          '@type': 'type.googleapis.com/google.apps.alertcenter.type.AccountWarning',
          email: person.userPrincipalName,
        },
        metadata: { alertId: id, status, severity, updateTime: shown(updatedMs), etag: guidOf(id).slice(0, 8) },
        securityInvestigationToolLink: `https://admin.${company.plan.domain}/investigate/${id}`,
      },
    };
  });
}
