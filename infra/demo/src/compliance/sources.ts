import type { Company } from '../company.ts';
import type { SourcePlan } from '../compliance-plan.ts';
import { type DemoState, formatInstant, formatOptionalInstant } from '../demo-state.ts';
import { deriveNumber } from '../random.ts';
import { createComplianceState, dayMs } from './compliance-state.ts';

/** The import state of each source of a company, as its collectors report it. */
export function* generateSourceStates(company: Company, endMs: number): Generator<DemoState> {
  const { compliance, feeds } = company.plan;
  const named = new Set(compliance.sources.map(({ name }) => name));
  const usual = [...everywhere, ...feeds.flatMap((feed) => logsOf[feed])].filter((name) => !named.has(name));
  for (const name of usual) {
    const importedHoursAgo = 1 + deriveNumber(11, company.plan.azureTenantId, name);
    yield sourceState(company, { name, isEnabled: true, isLicensed: true, importedHoursAgo }, endMs);
  }
  for (const source of compliance.sources) yield sourceState(company, source, endMs);
}

const everywhere = [
  'users',
  'groups',
  'apps',
  'devices',
  'licenses',
  'sites',
  'files',
  'emails',
  'detections',
  'policy_scans',
  'notifications',
  'actions',
  'security_alerts',
  'data_restrictions',
];

const logsOf = {
  microsoft365: [
    'logs/Audit.Exchange',
    'logs/Audit.SharePoint',
    'logs/Audit.AzureActiveDirectory',
    'logs/Audit.General',
  ],
  entra: ['logs/SignInLogs', 'logs/AuditLogs'],
  google: ['logs/drive', 'logs/login'],
  okta: ['logs/SystemLog'],
} as const;

function sourceState(company: Company, source: SourcePlan, endMs: number): DemoState {
  const { name, isEnabled, isLicensed, importedHoursAgo, gap } = source;
  const importedMs = importedHoursAgo === null ? null : endMs - importedHoursAgo * 3_600_000;
  const gapMs = gap === undefined ? 0 : endMs - gap.daysAgo * dayMs;
  return createComplianceState(company, 'sourceStatus', [name], importedMs ?? endMs - dayMs, {
    source: name,
    enabled: isEnabled,
    licensed: isLicensed,
    connectedAt: formatOptionalInstant(isEnabled ? endMs - 30 * dayMs : null),
    lastCompleteImportAt: formatOptionalInstant(importedMs),
    gaps:
      gap === undefined
        ? []
        : [{ from: formatInstant(gapMs), to: formatInstant(gapMs + gap.hours * 3_600_000), reason: gap.reason }],
  });
}
