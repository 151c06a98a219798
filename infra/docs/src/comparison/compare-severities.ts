import type { ExpectedFile } from './expected-files.ts';
import { readDocument } from './read-document.ts';

/** How the service rates the records of a file on which rules of another product alert. */
export interface SeverityComparison {
  readonly name: string;
  readonly records: number;
  /** How many records the service rejects, by reason. */
  readonly rejections: Readonly<Record<string, number>>;
  /** Of the records read, those on which a rule of medium or higher severity alerts. */
  readonly alerting: number;
  /** Those of them that the service rates below medium. */
  readonly lower: readonly { readonly rule: string; readonly severity: string }[];
}

/** Rules of low severity are left out: they alert on everyday events, to count them. */
export function compareSeverities({ name, format, records, expected }: ExpectedFile): SeverityComparison {
  const rejections: Record<string, number> = {};
  const rated: { rule: string; severity: string }[] = [];
  records.forEach((record, line) => {
    const result = readDocument(format, record);
    const opinion = JSON.parse(expected[line] ?? 'null') as Opinion | null;
    if ('rejection' in result) rejections[result.rejection] = (rejections[result.rejection] ?? 0) + 1;
    else if (opinion?.shouldAlert && !lowSeverities.has(opinion.severity))
      rated.push({ rule: opinion.rule, severity: String(result.document.severity) });
  });
  const lower = rated.filter(({ severity }) => !atLeastMedium.has(severity));
  return { name, records: records.length, rejections, alerting: rated.length, lower };
}

interface Opinion {
  readonly rule: string;
  readonly severity: string;
  readonly shouldAlert: boolean;
}

const lowSeverities: ReadonlySet<string> = new Set(['Info', 'Low']);
const atLeastMedium: ReadonlySet<string> = new Set(['medium', 'high', 'critical']);

/** Rules that alert on what one record does not show, and how the service rates that record. */
export const ratedLower: readonly { readonly rule: string; readonly severity: string; readonly reason: string }[] = [
  {
    rule: 'Microsoft365.Brute.Force.Login.by.User',
    severity: 'low',
    reason: 'alerts on ten failures; one of them is an everyday event',
  },
  {
    rule: 'Azure.Audit.GraphSessionMultipleIPs',
    severity: 'informational',
    reason: 'compares the addresses of several sign-ins of a session',
  },
  {
    rule: 'Okta.Identity.Provider.SignIn',
    severity: 'informational',
    reason: 'every sign-in of an organization with its own identity provider',
  },
];

/** Excerpts that the authors of the rules wrote for their tests and that are no records of the provider. */
export const rejectedExcerpts: readonly {
  readonly file: string;
  readonly rejections: Readonly<Record<string, number>>;
  readonly reason: string;
}[] = [
  {
    file: 'alerts/panther.graph.security.alert',
    rejections: { SCHEMA_VIOLATION: 1 },
    reason: 'a row of advanced hunting among the alerts',
  },
  {
    file: 'google/panther.google.reports.activity',
    rejections: { MISSING_ACTION: 6, MISSING_TIMESTAMP: 30 },
    reason: 'excerpts without a time or an event',
  },
  {
    file: 'o365/panther.o365.management-activity',
    rejections: { MISSING_ACTION: 2 },
    reason: 'two records of the Windows event log',
  },
  {
    file: 'okta/panther.okta.system-log',
    rejections: { INVALID_TIMESTAMP: 1, MISSING_ACTION: 15, MISSING_TIMESTAMP: 8 },
    reason: 'statistics over many events, excerpts without a time, and one record with names in lower case',
  },
];
