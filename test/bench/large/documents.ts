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
import { countFailures, type LargeClient, type Timing } from './http-client.ts';

export interface DocumentTiming {
  readonly timings: readonly Timing[];
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
  { database, client }: { database: LargeDatabase; client: LargeClient },
  repetitions: number,
  log: (line: string) => void,
): Promise<DocumentTimings> {
  const found: DocumentTimings = new Map();
  for (const { name, path } of documents) {
    await sleep(statisticsMs);
    const before = await countRowsRead(database);
    const first = await client.request(path(Date.now()));
    await sleep(statisticsMs);
    const rowsRead = (await countRowsRead(database)) - before;
    const timings = [];
    for (let repetition = 0; repetition < repetitions; repetition++)
      timings.push(await client.request(path(Date.now())));
    found.set(name, { timings, rowsRead });
    log(`documents: ${name}: ${Math.round(first.ms)} ms, ${rowsRead} rows ${countFailures([first, ...timings])}`);
  }
  return found;
}

/** Live rows that scans returned in tables and indexes of the schema, by all statements of the database. */
async function countRowsRead({ superuser }: LargeDatabase): Promise<number> {
  const [row] = await runStatement(
    superuser,
    `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::float8 as rows from pg_stat_user_tables where schemaname = 'models'
        and relname not in ('ingest_lane', 'ingest_epoch')`,
  );
  return Number(row?.rows);
}

/** The table of two sizes side by side. */
export function compareDocuments(rows: number, large: DocumentTimings, small: DocumentTimings | null): Section {
  const time = (one: DocumentTiming | undefined) => (one ? Math.round(median(one.timings.map(({ ms }) => ms))) : null);
  return {
    title: `Documents, ${rows} rows in the table`,
    description:
      'Of the large tenant, one request at a time. Rows read: those that scans returned while the document was made for the first time, as the server counts them; of an index-only scan none are counted.',
    columns: [
      '',
      'ms',
      'rows read',
      'failures',
      'ms at a tenth',
      'rows read at a tenth',
      'growth',
      'failures at a tenth',
    ],
    rows: [...large].map(([name, one]) => {
      const other = small?.get(name);
      const [ms, otherMs] = [time(one), time(other)];
      return [
        name,
        ms,
        one.rowsRead,
        countFailures(one.timings),
        otherMs,
        other?.rowsRead ?? null,
        ms === null || otherMs === null ? null : Math.round((ms / otherMs) * 10) / 10,
        countFailures(other?.timings ?? []),
      ];
    }),
  };
}
