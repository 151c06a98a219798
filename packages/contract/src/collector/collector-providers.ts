/** A stream of records that a collector pulls, with a position of its own. */
export interface CollectorStream {
  /** The published format of its records, such as `okta.system-log`. */
  readonly format: string;
  /** The source that its progress is reported of, as `sourceStatus` records name it. */
  readonly source: string;
}

/**
 * How requests are authorized, which decides what a collector needs besides its secret file. `token`: the secret is the token, or with a client id the private
 * key of an OAuth client. `microsoft`: client credentials of an application. `google`: a service account with the rights of an administrator.
 * `shared`: where tokens are requested, unless the operator names another cloud.
 */
export type CollectorLogin =
  | { readonly kind: 'token' }
  | { readonly kind: 'microsoft' | 'google'; readonly shared: string };

/** A provider whose records the built-in collector pulls. */
export interface CollectorProvider {
  readonly label: string;
  /** What the secret file contains. */
  readonly secret: string;
  /** An address as an example of `--url`, or the one that all customers of the provider share. */
  readonly url: { readonly example: string } | { readonly shared: string };
  readonly login: CollectorLogin;
  readonly streams: Readonly<Record<string, CollectorStream>>;
  /** Days that the provider retains records: older ones cannot be collected. */
  readonly retentionDays: number;
  /** Seconds between two runs, unless the operator chooses others: within the provider's rate limits with other clients. */
  readonly intervalSeconds: number;
}

const microsoftLogin = { kind: 'microsoft', shared: 'https://login.microsoftonline.com' } as const;

const reportsActivity = (application: string): CollectorStream => ({
  format: 'google.reports.activity',
  source: `logs/${application}`,
});

const managementActivity = (contentType: string): CollectorStream => ({
  format: 'o365.management-activity',
  source: `logs/${contentType}`,
});

export const collectorProviders = {
  google: {
    label: 'Google Workspace',
    secret: 'the JSON key of a service account',
    url: { shared: 'https://admin.googleapis.com' },
    login: { kind: 'google', shared: 'https://oauth2.googleapis.com' },
    streams: {
      login: reportsActivity('login'),
      admin: reportsActivity('admin'),
      drive: reportsActivity('drive'),
      token: reportsActivity('token'),
      user_accounts: reportsActivity('user_accounts'),
      saml: reportsActivity('saml'),
      groups: reportsActivity('groups'),
      groups_enterprise: reportsActivity('groups_enterprise'),
      mobile: reportsActivity('mobile'),
      rules: reportsActivity('rules'),
      calendar: reportsActivity('calendar'),
      chat: reportsActivity('chat'),
      meet: reportsActivity('meet'),
      gemini_in_workspace_apps: reportsActivity('gemini_in_workspace_apps'),
      alerts: { format: 'google.alertcenter.alert', source: 'security_alerts/google' },
    },
    retentionDays: 180,
    intervalSeconds: 300,
  },
  graph: {
    label: 'Microsoft Graph',
    secret: 'the client secret of an app registration, or its private key and certificate in PEM',
    url: { shared: 'https://graph.microsoft.com' },
    login: microsoftLogin,
    streams: {
      alerts: { format: 'graph.security.alert', source: 'security_alerts/defender' },
      incidents: { format: 'graph.security.incident', source: 'security_alerts/defender-incidents' },
      'directory-audits': { format: 'entra.audit.graph', source: 'logs/AuditLogs' },
      'sign-ins': { format: 'entra.signin.graph', source: 'logs/SignInLogs' },
      users: { format: 'graph.user', source: 'users/entra' },
      groups: { format: 'graph.group', source: 'groups/entra' },
      devices: { format: 'graph.device', source: 'devices/entra' },
      'service-principals': { format: 'graph.serviceprincipal', source: 'apps/entra' },
    },
    retentionDays: 30,
    intervalSeconds: 300,
  },
  o365: {
    label: 'Office 365 Management Activity API',
    secret: 'the client secret of an app registration, or its private key and certificate in PEM',
    url: { shared: 'https://manage.office.com' },
    login: microsoftLogin,
    streams: {
      'Audit.AzureActiveDirectory': managementActivity('Audit.AzureActiveDirectory'),
      'Audit.Exchange': managementActivity('Audit.Exchange'),
      'Audit.SharePoint': managementActivity('Audit.SharePoint'),
      'Audit.General': managementActivity('Audit.General'),
      'DLP.All': managementActivity('DLP.All'),
    },
    retentionDays: 7,
    intervalSeconds: 300,
  },
  okta: {
    label: 'Okta',
    secret: 'an API token of a read-only administrator, or the private key of an API service integration',
    url: { example: 'https://example.okta.com' },
    login: { kind: 'token' },
    streams: { 'system-log': { format: 'okta.system-log', source: 'logs/SystemLog' } },
    retentionDays: 90,
    intervalSeconds: 60,
  },
} as const satisfies Record<string, CollectorProvider>;

export type CollectorProviderName = keyof typeof collectorProviders;

export const collectorProviderNames = Object.keys(collectorProviders) as readonly CollectorProviderName[];

export const isCollectorProviderName = (name: string): name is CollectorProviderName =>
  Object.hasOwn(collectorProviders, name);

export function getCollectorProvider(name: CollectorProviderName): CollectorProvider {
  return collectorProviders[name];
}
