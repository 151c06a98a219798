import { dayMs } from '@tenantscope/contract';
import { formatCount } from '../../../output/count.ts';

/** The result of one check. */
export interface Finding {
  /** What was checked, such as `PostgreSQL, TENANTSCOPE_API_DATABASE_URL`. */
  readonly subject: string;
  readonly result: 'ok' | 'warning' | 'failed' | 'not checked';
  /** What was found and, unless it is ok, what to do. Contains no secret. */
  readonly detail: string;
}

/** A certificate that expires within these days is reported. */
const renewalDays = 30;

export function checkCertificate(subject: string, expiresAt: Date | null): readonly Finding[] {
  if (expiresAt === null) return [];
  const days = Math.floor((expiresAt.getTime() - Date.now()) / dayMs);
  const result = days < renewalDays ? 'warning' : 'ok';
  const advice = result === 'ok' ? '' : '; renew it on the server';
  return [{ subject: `${subject}, certificate`, result, detail: `expires in ${formatCount(days, 'day')}${advice}` }];
}
