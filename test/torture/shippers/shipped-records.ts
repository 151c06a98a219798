import { oktaEvent } from '../../collect/okta-event.ts';
import { activityRecord } from '../../installation/activity-records.ts';

/** The content of a file that a shipper reads line by line. */
export interface RecordFile {
  readonly format: string;
  /** Each is one record. */
  readonly records: readonly string[];
  /** A line that is no JSON, among the records. */
  readonly brokenLine: string;
}

const fromMs = Date.UTC(2026, 10, 20, 8);
const plainRecords = 40;

/** Text that a shipper without care unescapes, expands, truncates at, or writes in another encoding. */
const hostileTexts = [
  'quotes " and \\" and \\\\ at the end \\',
  'line\nfeed, tab\t, carriage\rreturn, null \u0000, delete \u007f',
  `%msg% %$!all-json% $!user \${env:HOME} {{ message }} <34>1 - @cee: {"a":1}`,
  'Zażółć gęślą jaźń 日本語 💡 \u2028 \ufeff',
  `{"records":[{"message":"a record inside of a record"}]}`,
  // More than rsyslog's and many other limits of 8 KiB, and than the first buffer of the connector.
  'x'.repeat(200_000),
];

/** The same record written in other ways: text that must not change on its way. */
const spellings: readonly ((record: string) => string)[] = [
  (record) => record.replaceAll('/', '\\/'),
  (record) => record.replace(/^\{/, '{ "first" :\t[ 1 , 2.50 , 12345678901234567890.10, -0, 1E+2 ] , '),
  (record) => record.replace(/^\{/, '{"text":"\\u0105 \\ud83d\\udca1 \\u0000 \\/",'),
];

function createFile(
  format: string,
  brokenLine: string,
  create: (number: number, text: string) => Record<string, unknown>,
): RecordFile {
  const plain = Array.from({ length: plainRecords }, (_, number) => create(number, `record ${number}`));
  const hostile = hostileTexts.map((text, number) => create(plainRecords + number, text));
  const spelled = spellings.map((spell, number) => spell(JSON.stringify(create(60 + number, 'https://a.example/b'))));
  return { format, brokenLine, records: [...spelled, ...[...hostile, ...plain].map((one) => JSON.stringify(one))] };
}

/** All records have different times. None names a tenant of the provider: the tenants of a test have others. */
export const recordFiles: readonly RecordFile[] = [
  createFile('okta.system-log', '{"uuid":"truncated","published":"2026-11-20T', (number, displayMessage) =>
    oktaEvent(number, fromMs + number * 1_000, { displayMessage }),
  ),
  createFile('o365.management-activity', '{"CreationTime":"2026-11-20T', (number, SourceFileName) =>
    activityRecord(number, { SourceFileName }),
  ),
  createFile('m365d.advanced-hunting', '{"time":"2026-11-20T', (number, ProcessCommandLine) => ({
    time: formatTime(number),
    operationName: 'Publish',
    category: 'AdvancedHunting-DeviceProcessEvents',
    properties: { Timestamp: formatTime(number), ActionType: 'ProcessCreated', ReportId: number, ProcessCommandLine },
  })),
  createFile('entra.audit.azuremonitor', '{"time":"2026-11-20T', (number, additionalDetail) => ({
    time: formatTime(number),
    category: 'AuditLogs',
    operationName: 'Add member to group',
    properties: {
      id: `Directory_${number}`,
      activityDateTime: formatTime(number),
      activityDisplayName: 'Add member to group',
      category: 'GroupManagement',
      initiatedBy: { user: { id: 'u-1', userPrincipalName: 'ada@contoso.example' } },
      targetResources: [{ id: 'g-1', displayName: 'Finance', type: 'Group' }],
      additionalDetails: [{ key: 'reason', value: additionalDetail }],
    },
  })),
  createFile('entra.signin.graph', '{"id":"truncated","createdDateTime":"2026-11-20T', (number, appDisplayName) => ({
    id: `sign-in-${number}`,
    createdDateTime: formatTime(number),
    userId: 'u-1',
    userPrincipalName: 'ada@contoso.example',
    ipAddress: '203.0.113.7',
    appDisplayName,
    status: { errorCode: 0, failureReason: 'Other.' },
  })),
  createFile('graph.security.alert', '{"id":"truncated","createdDateTime":"2026-11-20T', (number, description) => ({
    id: `alert-${number}`,
    createdDateTime: formatTime(number),
    lastUpdateDateTime: formatTime(number),
    title: 'Suspicious inbox rule',
    description,
    severity: 'high',
    status: 'new',
    category: 'DefenseEvasion',
    serviceSource: 'microsoftDefenderForOffice365',
    evidence: [],
  })),
  createFile('google.alertcenter.alert', '{"alertId":"truncated","createTime":"2026-11-20T', (number, displayName) => ({
    customerId: 'C0123abcd',
    alertId: `alert-${number}`,
    createTime: formatTime(number),
    updateTime: formatTime(number),
    startTime: formatTime(number),
    type: 'User reported phishing',
    source: 'Gmail phishing',
    data: {
      '@type': 'type.googleapis.com/google.apps.alertcenter.type.MailPhishing',
      maliciousEntity: { fromHeader: 'bank@evil.example', displayName },
    },
    metadata: { status: 'NOT_STARTED', severity: 'MEDIUM' },
  })),
  createFile('google.reports.activity', '{"kind":"admin#reports#activity","id":{', (number, value) => ({
    kind: 'admin#reports#activity',
    id: { time: formatTime(number), uniqueQualifier: `-731${number}`, applicationName: 'drive' },
    actor: { email: 'ada@contoso.example' },
    events: [{ type: 'access', name: 'view', parameters: [{ name: 'doc_title', value }] }],
  })),
];

function formatTime(number: number): string {
  return new Date(fromMs + number * 1_000).toISOString();
}

const later = 10;
/** Of the later ones: appended one by one at the end. */
export const lastCount = 5;

/** What a file has before the shipper starts. */
export const firstRecords = ({ records }: RecordFile): readonly string[] => records.slice(0, -later);
/** Those and what is appended later: plain records. */
export const firstAndLaterRecords = ({ records }: RecordFile): readonly string[] => records.slice(0, -lastCount);
export const lastRecords = ({ records }: RecordFile): readonly string[] => records.slice(-lastCount);
export const formatFirst = (file: RecordFile): string => formatLines([file.brokenLine, ...firstRecords(file)]);
export const formatLater = ({ records }: RecordFile): string => formatLines(records.slice(-later, -lastCount));

export function formatLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
