/** A stream of records that a collector pulls, with a position of its own. */
export interface CollectorStream {
  /** The published format of its records, such as `okta.system-log`. */
  readonly format: string;
  /** The source that its progress is reported of, as `sourceStatus` records name it. */
  readonly source: string;
}

/** A provider whose records the built-in collector pulls. */
export interface CollectorProvider {
  readonly label: string;
  /** What the secret file contains. */
  readonly secret: string;
  /** An address as an example of `--url`, or the one that all customers of the provider share. */
  readonly url: { readonly example: string } | { readonly shared: string };
  /** Where tokens are requested with client credentials, unless the operator names another cloud; null: the secret is the token. */
  readonly login: { readonly shared: string } | null;
  readonly streams: Readonly<Record<string, CollectorStream>>;
  /** Days that the provider retains records: older ones cannot be collected. */
  readonly retentionDays: number;
  /** Seconds between two runs, unless the operator chooses others: within the provider's rate limits with other clients. */
  readonly intervalSeconds: number;
}

const managementActivity = (contentType: string): CollectorStream => ({
  format: 'o365.management-activity',
  source: `logs/${contentType}`,
});

export const collectorProviders = {
  o365: {
    label: 'Office 365 Management Activity API',
    secret: 'the client secret of an app registration',
    url: { shared: 'https://manage.office.com' },
    login: { shared: 'https://login.microsoftonline.com' },
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
    secret: 'an API token of a read-only administrator',
    url: { example: 'https://example.okta.com' },
    login: null,
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
