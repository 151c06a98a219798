import { dayMs, hourMs } from '@tenantscope/contract';

const minuteMs = 60_000;

/** How late the records of an application may be listed: Google's page "Data retention and lag times". */
interface Lag {
  /** Listed again by each run. */
  readonly overlapMs: number;
  readonly rereads: readonly { readonly everyMs: number; readonly backMs: number }[];
}

/** Google documents that some events are later than its lag times; a day, and once a day three, are listed again. */
const rereads = [
  { everyMs: hourMs, backMs: dayMs },
  { everyMs: dayMs, backMs: 3 * dayMs },
] as const;

/** "Near real time (couple of minutes)". */
const minutes: Lag = { overlapMs: 30 * minuteMs, rereads };
/** "Tens of minutes (can also go up to a couple of hours)", and "up to a few hours". */
const hours: Lag = { overlapMs: 4 * hourMs, rereads };

/** Applications of the Reports API. */
export const applications: Readonly<Record<string, Lag>> = {
  login: minutes,
  admin: minutes,
  drive: minutes,
  token: hours,
  user_accounts: minutes,
  saml: minutes,
  groups: hours,
  groups_enterprise: minutes,
  mobile: minutes,
  rules: minutes,
  calendar: hours,
  chat: minutes,
  meet: minutes,
  gemini_in_workspace_apps: hours,
};

export const activityTimes = {
  windowMs: 6 * hourMs,
  partMinMs: 5 * minuteMs,
  /** Google retains events for six months; a request that begins more than 180 days ago is refused. */
  retentionMs: 180 * dayMs - hourMs,
  retentionReason: 'older than the 180 days for which Google retains events',
  firstMs: 180 * dayMs - 2 * hourMs,
} as const;

/**
 * Alerts are listed by their creation only, and a changed alert keeps it. Few exist, so that those of a week are listed again each hour, and of 90 days
 * each day: a change is found within this time.
 */
export const alertTimes = {
  windowMs: 30 * dayMs,
  partMinMs: hourMs,
  overlapMs: dayMs,
  rereads: [
    { everyMs: hourMs, backMs: 7 * dayMs },
    { everyMs: dayMs, backMs: 90 * dayMs },
  ],
  retentionMs: 365 * dayMs,
  retentionReason: 'older than a year',
  firstMs: 365 * dayMs - hourMs,
} as const;
