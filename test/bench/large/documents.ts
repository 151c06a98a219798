import { setTimeout as sleep } from 'node:timers/promises';
import {
  getAgentEvidencePack,
  getComplianceStatus,
  getCopilotReadiness,
  getReport,
  getSecurityScore,
} from '@tenantscope/contract';
import { runStatement } from '../installation.ts';
import type { Section } from '../report.ts';
import { median } from '../statistics.ts';
import type { LargeDatabase } from './database.ts';
import { countFailures, type LargeClient, type Requested, requestRepeatedly, sumFailures } from './http-client.ts';

export interface DocumentTiming extends Requested {
  readonly rowsRead: number;
}
export type DocumentTimings = Map<string, DocumentTiming>;

const dayMs = 86_400_000;
/** A server process that is idle reports its counts after ten seconds at the latest. */
const statisticsMs = 10_500;

const documents: readonly { name: string; path: (nowMs: number) => string }[] = [
  { name: 'compliance status', path: () => getComplianceStatus.path },
  { name: 'assistant readiness', path: () => getCopilotReadiness.path },
  { name: 'security score', path: () => getSecurityScore.path },
  { name: 'executive summary', path: () => getReport.path.replace('{id}', 'executive-summary') },
  {
    name: 'evidence pack of 183 days',
    path: (nowMs) => `${getAgentEvidencePack.path}?from=${new Date(nowMs - 183 * dayMs).toISOString()}`,
  },
];

/** Requests each document once for the count of rows and then `repetitions` times for its time. */
export async function measureDocuments(
  { database, ...served }: { database: LargeDatabase; client: LargeClient; postgresPid: number },
  repetitions: number,
  log: (line: string) => void,
): Promise<DocumentTimings> {
  const found: DocumentTimings = new Map();
  for (const { name, path } of documents) {
    await sleep(statisticsMs);
    const before = await countRowsRead(database);
    const first = await served.client.request(path(Date.now()));
    await sleep(statisticsMs);
    const rowsRead = (await countRowsRead(database)) - before;
    const limits = { min: repetitions, max: repetitions, ms: 0 };
    const requested = await requestRepeatedly(served, path(Date.now()), limits);
    found.set(name, { ...requested, rowsRead });
    log(
      `documents: ${name}: ${Math.round(first.ms)} ms, ${rowsRead} rows ${countFailures([first, ...requested.timings])}`,
    );
  }
  return found;
}

/** Live rows that scans returned in tables and indexes of the schema, by all statements of the database. */
async function countRowsRead({ superuser }: LargeDatabase): Promise<number> {
  const [row] = await runStatement(
    superuser,
    `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::float8 as rows from pg_stat_user_tables where schemaname = 'models'
        and relname not in ('ingest_lane', 'lane_clock', 'ingest_epoch')`,
  );
  return Number(row?.rows);
}

/** The table of two sizes side by side. */
export function compareDocuments(rows: number, large: DocumentTimings, small: DocumentTimings | null): Section {
  const time = (one: DocumentTiming | undefined) => (one ? Math.round(median(one.timings.map(({ ms }) => ms))) : null);
  return {
    title: `Documents, ${rows} rows in the table`,
    description:
      'Of the large tenant, one request at a time. Rows read: those that scans returned while the document was made for the first time, as the server counts them; of an index-only scan none are counted. Processor: of PostgreSQL per request; a request that failed was ended in the middle.',
    columns: [
      '',
      'ms',
      'processor ms',
      'rows read',
      'failures',
      'ms at a tenth',
      'processor ms at a tenth',
      'rows read at a tenth',
      'failures at a tenth',
    ],
    rows: [...large].map(([name, one]) => {
      const other = small?.get(name);
      return [
        name,
        time(one),
        one.postgresMs,
        one.rowsRead,
        sumFailures(one),
        time(other),
        other?.postgresMs ?? null,
        other?.rowsRead ?? null,
        sumFailures(other),
      ];
    }),
  };
}
