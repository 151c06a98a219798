import type { Activity, ActivityContext } from '../activity.ts';

const streamed = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'm365d.advanced-hunting',
  schedule: 'office hours',
  delay: 'minutes',
} as const;

/** Rows of the tables of advanced hunting, as Defender's streaming API exports them. */
export const defenderActivities: readonly Activity[] = [
  { ...streamed, weight: 1, record: (context) => row(context, 'IdentityLogonEvents', logon(context)) },
  { ...streamed, weight: 1, record: (context) => row(context, 'CloudAppEvents', cloudActivity(context)) },
];

function row({ company, atMs, random }: ActivityContext, table: string, columns: Record<string, unknown>) {
  return {
    time: new Date(atMs + 120_000).toISOString(),
    tenantId: company.plan.azureTenantId,
    operationName: 'Publish',
    category: `AdvancedHunting-${table}`,
    properties: { Timestamp: new Date(atMs).toISOString(), ReportId: random.guid(), ...columns },
  };
}

function logon({ person, device, address, random, company }: ActivityContext) {
  const [name, domain] = person.userPrincipalName.split('@');
  return {
    ActionType: random.bool(0.1) ? 'LogonFailed' : 'LogonSuccess',
    Application: 'Active Directory',
    LogonType: 'Kerberos',
    Protocol: 'Kerberos',
    AccountName: name,
    AccountDomain: domain,
    AccountUpn: person.userPrincipalName,
    AccountObjectId: person.id,
    AccountDisplayName: person.displayName,
    DeviceName: device.name,
    OSPlatform: device.operatingSystem,
    IPAddress: address,
    TargetDeviceName: `dc1.${company.plan.domain}`,
    AdditionalFields: JSON.stringify({ Count: 1 }),
  };
}

function cloudActivity({ person, device, address, random, company }: ActivityContext) {
  const app = random.pick(company.apps);
  return {
    ActionType: 'Log on',
    ActivityType: 'Logon',
    Application: app.name,
    AccountObjectId: person.id,
    AccountDisplayName: person.displayName,
    AccountType: 'Regular',
    IsExternalUser: false,
    IsAdminOperation: 0,
    IPAddress: address,
    CountryCode: company.plan.country,
    City: company.plan.city,
    UserAgent: device.userAgent,
    OSPlatform: device.operatingSystem,
    ActivityObjects: JSON.stringify([
      { Type: 'Account', Role: 'Actor', Name: person.displayName, Id: person.id },
      { Type: 'Structured object', Role: 'Target object', Name: app.name, Id: app.appId },
    ]),
  };
}
