/** How a value of ours and an expected value become comparable. */
interface Normalizer {
  /** The forms in which a value of ours may be expected. */
  readonly own: (text: string) => readonly string[];
  readonly expected: (text: string) => string;
}

const same = (text: string): string => text;
const lower = (text: string): string => text.toLowerCase();

/** The part of an address before, or after, its last at sign. */
const localPart = (text: string): string => (text.includes('@') ? text.slice(0, text.lastIndexOf('@')) : text);
const domain = (text: string): string => text.slice(text.lastIndexOf('@') + 1);

const toHexDigits = (text: string): string => lower(text).replace(/[^0-9a-f]/g, '');

/** With milliseconds. A time without a zone is UTC; 16 digits are microseconds. Text that is no time stays unchanged. */
function toMilliseconds(text: string): string {
  if (/^\d{16}$/.test(text)) return new Date(Number(text.slice(0, 13))).toISOString();
  const time = Date.parse(text.replace(/(\.\d{3})\d+/, '$1').replace(/(\d)$/, '$1Z'));
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}

const severities = ['informational', 'low', 'medium', 'high'];
const products: Readonly<Record<string, string>> = {
  defender_endpoint: 'microsoftDefenderForEndpoint',
  MicrosoftDefenderATP: 'microsoftDefenderForEndpoint',
  MicrosoftCloudAppSecurity: 'microsoftDefenderForCloudApps',
};

const recordTypes: Readonly<Record<string, string>> = {
  1: 'ExchangeAdmin',
  2: 'ExchangeItem',
  6: 'SharePointFileOperation',
  8: 'AzureActiveDirectory',
  11: 'ComplianceDLPSharePoint',
  13: 'ComplianceDLPExchange',
  14: 'SharePointSharingOperation',
  15: 'AzureActiveDirectoryStsLogon',
  20: 'PowerBIAudit',
  22: 'Yammer',
  25: 'MicrosoftTeams',
  40: 'SecurityComplianceAlerts',
  52: 'DataInsightsRestApiAudit',
};

export const normalizers = {
  exact: { own: (text) => [text], expected: same },
  anyCase: { own: (text) => [lower(text)], expected: lower },
  /** Of a name and its address, in any case: the whole, what is before the at sign, and after it. */
  partOfAddress: { own: (text) => [text, localPart(text), domain(text)].map(lower), expected: lower },
  localPart: { own: (text) => [lower(localPart(text))], expected: lower },
  domain: { own: (text) => [lower(domain(text))], expected: lower },
  time: { own: (text) => [toMilliseconds(text)], expected: toMilliseconds },
  /** `2020-02-09T15:33:26Z/1/0` names the first event of envelope 1. */
  envelopeId: { own: (text) => text.split('/').slice(1, 2), expected: same },
  /** `HE1PR0102MB3228 (192.0.2.1)` names a server and its address. */
  server: { own: (text) => text.split(/[ ()[\]]+/), expected: same },
  /** `192.0.2.1:443` has the port 443. */
  port: { own: (text) => [text.slice(text.lastIndexOf(':') + 1)], expected: same },
  /** A list as text, `a, b`. */
  listed: { own: (text) => [text, ...text.split(', ')], expected: same },
  withoutSpaces: {
    own: (text) => [lower(text).replaceAll(' ', '')],
    expected: (text) => lower(text).replaceAll(' ', ''),
  },
  /** The last extension of a file name. */
  extension: { own: (text) => [lower(text.slice(text.lastIndexOf('.') + 1))], expected: lower },
  /** The folder of a path; a path that already is one stays. */
  folder: { own: (text) => [text, text.slice(0, text.lastIndexOf('\\'))], expected: same },
  trimmed: { own: (text) => [text.trim()], expected: (text) => text.trim() },
  spaceSeparated: { own: (text) => text.split(' '), expected: same },
  /** `TcpV4` is TCP. */
  transport: { own: (text) => [lower(text).replace(/v[46]$/, '')], expected: lower },
  hexDigits: { own: (text) => [toHexDigits(text)], expected: toHexDigits },
  /** The hive of a registry key, its path within the hive, or both. */
  registryKey: {
    own: (text) => {
      const short = text.replace(/^HKEY_LOCAL_MACHINE/, 'HKLM');
      return [short, short.slice(0, short.indexOf('\\')), short.slice(short.indexOf('\\') + 1)];
    },
    expected: same,
  },
  host: { own: (text) => (URL.canParse(text) ? [new URL(text).hostname] : []), expected: same },
  scheme: { own: (text) => (URL.canParse(text) ? [new URL(text).protocol.slice(0, -1)] : []), expected: same },
  urlPath: { own: (text) => (URL.canParse(text) ? [text, new URL(text).pathname] : [text]), expected: same },
  query: { own: (text) => (URL.canParse(text) ? [new URL(text).search.slice(1)] : []), expected: same },
  /** Milliseconds as nanoseconds. */
  nanoseconds: { own: (text) => [String(Number(text) * 1e6)], expected: same },
  /** Severities in the order of Defender, counted from one. */
  severityRank: {
    own: (text) =>
      lower(text)
        .split(', ')
        .map((each) => String(severities.indexOf(each) + 1)),
    expected: same,
  },
  /** Other names of Microsoft's products. */
  product: { own: (text) => [lower(text)], expected: (text) => lower(products[text] ?? text).replaceAll(' ', '') },
  /** Names of record types as Microsoft documents them. */
  recordType: { own: (text) => [recordTypes[text] ?? text], expected: same },
} satisfies Readonly<Record<string, Normalizer>>;

export type NormalizerName = keyof typeof normalizers;
