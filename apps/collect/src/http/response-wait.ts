/**
 * How long a response requests to wait, in ms: by `Retry-After` (seconds or a date) and, where the rate limit is used up, by `X-Rate-Limit-Reset` (epoch
 * seconds, by the clock of the response's `Date`), the longer of both; null where it has neither in a valid form. Every response of Okta has the reset,
 * so that it means nothing in one that is not refused for its rate.
 */
export function readWaitMs(headers: Headers, nowMs: number, isLimited: boolean): number | null {
  const clockMs = parseDate(headers.get('date')) ?? nowMs;
  const waits = [
    readRetryAfter(headers.get('retry-after'), clockMs),
    isLimited ? readReset(headers.get('x-rate-limit-reset'), clockMs) : null,
  ];
  const found = waits.filter((wait) => wait !== null);
  return found.length === 0 ? null : Math.max(0, ...found);
}

/** Servers of one provider differ by seconds, and a server may send a date of some seconds ago: records of runs that are repeated after 2 s must not become older. */
const clockDifferenceMinMs = 60_000;
/** A date that is further away is a fault of the header: a process with such a clock refuses the certificates of providers. */
const clockDifferenceMaxMs = 31 * 86_400_000;

/**
 * By how much the clock of a provider is ahead of that of this host, in ms: what the `Date` of a response, in whole seconds, proves. 0: clocks that agree within a minute and the
 * duration of the request. Null: it has no valid date.
 */
export function readClockAheadMs(headers: Headers, sentAtMs: number, receivedAtMs: number): number | null {
  const dateMs = parseDate(headers.get('date'));
  if (dateMs === null || Math.abs(dateMs - receivedAtMs) > clockDifferenceMaxMs) return null;
  const [leastMs, mostMs] = [dateMs - receivedAtMs, dateMs + 1_000 - sentAtMs];
  const aheadMs = leastMs > 0 ? leastMs : Math.min(mostMs, 0);
  return Math.abs(aheadMs) < clockDifferenceMinMs ? 0 : aheadMs;
}

function readRetryAfter(text: string | null, clockMs: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1_000;
  const date = parseDate(text);
  return date === null ? null : date - clockMs;
}

function readReset(text: string | null, clockMs: number): number | null {
  return text !== null && /^\d{9,11}$/.test(text.trim()) ? Number(text) * 1_000 - clockMs : null;
}

/** Dates of HTTP only: `Date.parse` alone reads a number as a year. */
function parseDate(text: string | null): number | null {
  const ms = text !== null && /^[A-Z][a-z]{2}, /.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
