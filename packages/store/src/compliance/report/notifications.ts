import type { EvidenceQuery } from '../evidence/ordered.ts';
import { bounds } from '../evidence/section-rows.ts';

/** What became of notifications of the window by one channel. */
export interface NotificationFigures {
  readonly channel: string;
  readonly sent: number;
  readonly suppressed: number;
  readonly failed: number;
  /** Suppressed for a reason that was told. */
  readonly explained: number;
}

export async function readNotificationFigures(reading: EvidenceQuery): Promise<readonly NotificationFigures[]> {
  const { tenant, from, to, storedThrough } = bounds(reading);
  const count = (condition: string) => `(count(*) filter (where ${condition}))::int`;
  const { rows } = await reading.client.query<NotificationFigures>(
    `select n.channel, ${count("n.decision = 'sent'")} as sent, ${count("n.decision = 'suppressed'")} as suppressed, ${count("n.decision = 'failed'")} as failed,
            ${count("n.decision = 'suppressed' and coalesce(n.document::json ->> 'reason', '') ~ '\\S'")} as explained
       from models.notification n
      where n.tenant_id = ${tenant} and n.created_at between ${from} and ${to} and n.updated_at <= ${storedThrough}
      group by n.channel order by count(*) desc, n.channel`,
  );
  return rows;
}
