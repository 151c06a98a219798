import { type ComparedStatusSource, type ComplianceComparison, formatTime } from '@tenantscope/contract';
import { readSnapshotBefore, type SnapshotSummary } from '@tenantscope/store/compliance';
import type { PoolClient } from '@tenantscope/store/connection';
import { describeConnection, formatInstant, type Limitation } from '../evidence/limitations.ts';
import { readStatusInSnapshot, toBaseline } from '../status/read-status.ts';
import { type Baseline, type ComparedStatus, compareStatus } from '../status/status-changes.ts';

export interface ComparisonQuery {
  readonly tenantId: string;
  readonly connectedAtMs: number;
  readonly nowMs: number;
  /** Null: the last snapshot before the end. */
  readonly fromMs: number | null;
  /** Null: the present status. */
  readonly toMs: number | null;
  /** Keys of frameworks; null for all of them. */
  readonly frameworks: readonly string[] | null;
}

/** One of the two dates. */
interface Side {
  readonly source: ComparedStatusSource;
  readonly baseline: Baseline;
  /** Null where the format of a snapshot is no longer read. */
  readonly status: ComparedStatus | null;
}

/** What changed between two dates, by what was stored of them. The client is in a transaction with the tenant set. */
export async function readComparison(client: PoolClient, query: ComparisonQuery): Promise<ComplianceComparison> {
  const after = query.toMs === null ? await readPresent(client, query) : await readStored(client, query, query.toMs);
  const fromMs = query.fromMs ?? findDefaultStart(query, after);
  const before = await readStored(client, query, fromMs);
  const changes = after?.status ? compareStatus(before?.baseline ?? null, after.status) : [];
  const { frameworks } = query;
  const limitations = listLimitations({ fromMs, connectedAtMs: query.connectedAtMs }, before, after);
  return {
    before: before?.source ?? null,
    after: after?.source ?? null,
    frameworks: changes.filter(({ framework }) => frameworks === null || frameworks.includes(framework)),
    limitations: limitations.map(({ en }) => en),
    limitationsPl: limitations.map(({ pl }) => pl),
  };
}

/** A millisecond before the snapshot of the end: the default compares two snapshots that follow one another. */
const findDefaultStart = ({ nowMs }: ComparisonQuery, after: Side | null): number =>
  after === null || after.source.snapshot === null ? nowMs : Date.parse(after.source.takenAt) - 1;

async function readPresent(client: PoolClient, { tenantId, connectedAtMs, nowMs }: ComparisonQuery): Promise<Side> {
  const status = await readStatusInSnapshot(client, { tenantId, connectedAtMs, nowMs });
  const { generatedAt: takenAt, catalogueVersion, evaluatorVersion } = status;
  return {
    source: { takenAt, snapshot: null, catalogueVersion, evaluatorVersion },
    baseline: { snapshotId: '', takenAt, trigger: '', catalogueVersion, status },
    status,
  };
}

async function readStored(client: PoolClient, { tenantId }: ComparisonQuery, toMs: number): Promise<Side | null> {
  const snapshot = await readSnapshotBefore({ client, tenantId, toMs });
  const baseline = toBaseline(snapshot);
  return snapshot && baseline && { source: describe(snapshot, baseline), baseline, status: baseline.status };
}

function describe(snapshot: SnapshotSummary, { status }: Baseline): ComparedStatusSource {
  const { id, takenAtMs, trigger, period, late, catalogueVersion } = snapshot;
  const versions = { catalogueVersion, evaluatorVersion: status?.evaluatorVersion ?? null };
  return { takenAt: formatTime(takenAtMs), snapshot: { id, trigger, period, late, ...versions }, ...versions };
}

function listLimitations(
  { fromMs, connectedAtMs }: { readonly fromMs: number; readonly connectedAtMs: number },
  before: Side | null,
  after: Side | null,
): Limitation[] {
  const isSame = before?.source.snapshot != null && before.source.snapshot.id === after?.source.snapshot?.id;
  return [
    ...describeConnection(fromMs, connectedAtMs),
    ...describeSide('from', before),
    ...describeSide('to', after),
    ...(isSame ? [sameSnapshot] : []),
  ];
}

const sameSnapshot: Limitation = {
  en: 'Both dates are represented by the same snapshot: what changed between them is unknown.',
  pl: 'Obu datom odpowiada ta sama migawka: nie wiadomo, co zmieniło się między nimi.',
};

function describeSide(name: 'from' | 'to', side: Side | null): Limitation[] {
  if (side === null)
    return [
      {
        en: `No snapshot was taken at or before ${name}: the status of that date is unknown.`,
        pl: `Do chwili podanej w parametrze ${name} nie wykonano żadnej migawki: status z tego dnia nie jest znany.`,
      },
    ];
  const { snapshot, takenAt } = side.source;
  const at = formatInstant(Date.parse(takenAt));
  return [
    ...(side.status === null
      ? [
          {
            en: `The snapshot of ${name} has a format that is no longer read.`,
            pl: `Migawka odpowiadająca parametrowi ${name} ma format, który nie jest już odczytywany.`,
          },
        ]
      : []),
    ...(snapshot?.late
      ? [
          {
            en: `The snapshot of ${name} was backfilled for ${snapshot.period} on ${at.en}: what applied in that week is unknown.`,
            pl: `Migawkę odpowiadającą parametrowi ${name} wykonano dopiero ${at.pl} za tydzień ${snapshot.period}: nie wiadomo, jaki był stan w tym tygodniu.`,
          },
        ]
      : []),
  ];
}
