import type { Words } from './language.ts';

/** A deadline of a law about reporting incidents. */
export interface Clock {
  /** Key of the framework. */
  readonly framework: string;
  readonly step: Words;
  readonly basis: Words;
  /** When it ends, counted from the moment somebody became aware. Later steps count from the last moment at which the earlier one may be done. */
  readonly dueMs: (awareMs: number) => number;
}

const hourMs = 3_600_000;
const within = (hours: number) => (fromMs: number) => fromMs + hours * hourMs;

/** The same day of the next month, or its last day where it has no such day. */
export function aMonthAfter(fromMs: number): number {
  const from = new Date(fromMs);
  const day = from.getUTCDate();
  const next = new Date(fromMs);
  next.setUTCMonth(from.getUTCMonth() + 1, 1);
  const last = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate();
  next.setUTCDate(Math.min(day, last));
  return next.getTime();
}

const earlyWarning: Words = ['Early warning, 24 hours', 'Wczesne ostrzeżenie, 24 godziny'];
const notification: Words = ['Incident notification, 72 hours', 'Zgłoszenie incydentu, 72 godziny'];
const finalReport: Words = [
  'Final report, one month after the notification',
  'Sprawozdanie końcowe, miesiąc po zgłoszeniu',
];
const monthAfterNotification = (awareMs: number) => aMonthAfter(within(72)(awareMs));

export const clocks: readonly Clock[] = [
  { framework: 'nis2', step: earlyWarning, basis: ['Art. 23(4)(a)', 'art. 23 ust. 4 lit. a'], dueMs: within(24) },
  { framework: 'nis2', step: notification, basis: ['Art. 23(4)(b)', 'art. 23 ust. 4 lit. b'], dueMs: within(72) },
  {
    framework: 'nis2',
    step: finalReport,
    basis: ['Art. 23(4)(d)', 'art. 23 ust. 4 lit. d'],
    dueMs: monthAfterNotification,
  },
  { framework: 'ksc', step: earlyWarning, basis: ['arts. 11-12b', 'art. 11-12b'], dueMs: within(24) },
  { framework: 'ksc', step: notification, basis: ['arts. 11-12b', 'art. 11-12b'], dueMs: within(72) },
  { framework: 'ksc', step: finalReport, basis: ['arts. 11-12b', 'art. 11-12b'], dueMs: monthAfterNotification },
  {
    framework: 'dora',
    step: ['Initial notification, at most 24 hours', 'Wstępne powiadomienie, najwyżej 24 godziny'],
    basis: ['Art. 19(4)(a)', 'art. 19 ust. 4 lit. a'],
    dueMs: within(24),
  },
  {
    framework: 'dora',
    step: ['Intermediate report, 72 hours after it', 'Sprawozdanie śródokresowe, 72 godziny po nim'],
    basis: ['Art. 19(4)(b)', 'art. 19 ust. 4 lit. b'],
    dueMs: within(24 + 72),
  },
  {
    framework: 'dora',
    step: ['Final report, one month after that', 'Sprawozdanie końcowe, miesiąc po śródokresowym'],
    basis: ['Art. 19(4)(c)', 'art. 19 ust. 4 lit. c'],
    dueMs: (awareMs) => aMonthAfter(within(24 + 72)(awareMs)),
  },
  {
    framework: 'gdpr',
    step: ['Notification of the authority, 72 hours', 'Zgłoszenie organowi nadzorczemu, 72 godziny'],
    basis: ['Art. 33(1)', 'art. 33 ust. 1'],
    dueMs: within(72),
  },
];
