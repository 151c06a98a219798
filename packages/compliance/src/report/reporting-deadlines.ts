import { hourMs, isTimeZone } from '@tenantscope/contract';
import type { LocalizedText } from './language.ts';

/** A statutory deadline for reporting an incident. */
export interface ReportingDeadline {
  /** Key of the framework. */
  readonly framework: string;
  readonly step: LocalizedText;
  readonly basis: LocalizedText;
  /** The deadline, counted from the time of awareness. Later steps count from the deadline of the earlier step. */
  readonly dueMs: (awareMs: number, timeZone: string) => number;
}

const withinHours = (hours: number) => (fromMs: number) => fromMs + hours * hourMs;

/**
 * The same time of the same day of the next month in the time zone, or of its last day where it has no such day. A time zone that this runtime does not
 * support counts as UTC.
 */
export function addOneMonth(fromMs: number, timeZone: string): number {
  const readOffset = createOffsetReader(isTimeZone(timeZone) ? timeZone : 'UTC');
  const offsetMs = readOffset(fromMs);
  const nextMs = addCalendarMonth(fromMs + offsetMs);
  // The clock may have changed in between.
  return nextMs - readOffset(nextMs - offsetMs);
}

function addCalendarMonth(localMs: number): number {
  const from = new Date(localMs);
  const next = new Date(localMs);
  next.setUTCMonth(from.getUTCMonth() + 1, 1);
  const last = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate();
  next.setUTCDate(Math.min(from.getUTCDate(), last));
  return next.getTime();
}

/** By how much the clocks of a time zone are ahead of UTC at an instant. */
function createOffsetReader(timeZone: string): (atMs: number) => number {
  const parts = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    ...Object.fromEntries(parts.map((part) => [part, 'numeric'])),
  });
  return (atMs) => {
    const shown = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 1, ...rest] = parts.map((part) => shown.get(part) ?? 0);
    return Date.UTC(year, month - 1, ...rest) - Math.floor(atMs / 1_000) * 1_000;
  };
}

const earlyWarning: LocalizedText = ['Early warning, 24 hours', 'Wczesne ostrzeżenie, 24 godziny'];
const notification: LocalizedText = ['Incident notification, 72 hours', 'Zgłoszenie incydentu, 72 godziny'];
const finalReport: LocalizedText = [
  'Final report, one month after the notification',
  'Sprawozdanie końcowe, miesiąc po zgłoszeniu',
];
const monthAfterNotification = (awareMs: number, timeZone: string) => addOneMonth(withinHours(72)(awareMs), timeZone);

export const reportingDeadlines: readonly ReportingDeadline[] = [
  { framework: 'nis2', step: earlyWarning, basis: ['Art. 23(4)(a)', 'art. 23 ust. 4 lit. a)'], dueMs: withinHours(24) },
  { framework: 'nis2', step: notification, basis: ['Art. 23(4)(b)', 'art. 23 ust. 4 lit. b)'], dueMs: withinHours(72) },
  {
    framework: 'nis2',
    step: finalReport,
    basis: ['Art. 23(4)(d)', 'art. 23 ust. 4 lit. d)'],
    dueMs: monthAfterNotification,
  },
  { framework: 'ksc', step: earlyWarning, basis: ['Art. 11–12b', 'art. 11–12b'], dueMs: withinHours(24) },
  { framework: 'ksc', step: notification, basis: ['Art. 11–12b', 'art. 11–12b'], dueMs: withinHours(72) },
  { framework: 'ksc', step: finalReport, basis: ['Art. 11–12b', 'art. 11–12b'], dueMs: monthAfterNotification },
  {
    framework: 'dora',
    step: ['Initial notification, at most 24 hours', 'Wstępne powiadomienie, najwyżej 24 godziny'],
    basis: ['Art. 19(4)(a)', 'art. 19 ust. 4 lit. a)'],
    dueMs: withinHours(24),
  },
  {
    framework: 'dora',
    step: ['Intermediate report, 72 hours after it', 'Sprawozdanie śródokresowe, 72 godziny po nim'],
    basis: ['Art. 19(4)(b)', 'art. 19 ust. 4 lit. b)'],
    dueMs: withinHours(24 + 72),
  },
  {
    framework: 'dora',
    step: ['Final report, one month after that', 'Sprawozdanie końcowe, miesiąc po śródokresowym'],
    basis: ['Art. 19(4)(c)', 'art. 19 ust. 4 lit. c)'],
    dueMs: (awareMs, timeZone) => addOneMonth(withinHours(24 + 72)(awareMs), timeZone),
  },
  {
    framework: 'gdpr',
    step: ['Notification of the authority, 72 hours', 'Zgłoszenie organowi nadzorczemu, 72 godziny'],
    basis: ['Art. 33(1)', 'art. 33 ust. 1'],
    dueMs: withinHours(72),
  },
];
