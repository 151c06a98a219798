import type { ProviderRecord } from './detection.ts';

/** An activity of the Reports API with one event; parameters by name, a truth value as `boolValue`. */
export function google(
  applicationName: string,
  type: string,
  name: string,
  parameters: Readonly<Record<string, string | boolean | readonly string[]>> = {},
): ProviderRecord {
  return {
    kind: 'admin#reports#activity',
    id: { time: '2026-11-20T08:15:30.843Z', uniqueQualifier: '0', applicationName, customerId: 'C01abc234' },
    actor: { callerType: 'USER', email: 'ada@contoso.example', profileId: '110000000000000000001' },
    ipAddress: '203.0.113.7',
    events: [{ type, name, parameters: Object.entries(parameters).map(([key, value]) => toParameter(key, value)) }],
  };
}

function toParameter(name: string, value: string | boolean | readonly string[]): ProviderRecord {
  if (typeof value === 'boolean') return { name, boolValue: value };
  return typeof value === 'string' ? { name, value } : { name, multiValue: value };
}

export const document = {
  doc_id: '1aBcDeFgHiJkLmNoPqRsTuVwXyZ',
  doc_title: 'Budget',
  doc_type: 'spreadsheet',
  owner: 'ada@contoso.example',
  primary_event: true,
};
