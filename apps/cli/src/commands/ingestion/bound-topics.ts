import type { Admin, ListedLane, StoredBinding } from '@tenantscope/store/admin';
import { formatTable } from '../../output/table.ts';

/** A source binding with the state of its topic. */
export interface BoundTopic extends StoredBinding {
  readonly state: 'removed' | 'waiting' | 'not read' | 'read';
  /** Why it is not read, or does not move; null while it is. */
  readonly reason: string | null;
  readonly lanes: number;
  /** Records in Kafka that are not read. */
  readonly unread: number;
  /** When one of its records was last written. */
  readonly writtenAt: string | null;
}

/** Ingestion looks every five seconds and says so at least every thirty. */
const staleAfterMs = 60_000;

export async function listBoundTopics(admin: Admin, withRemoved: boolean): Promise<readonly BoundTopic[]> {
  const bindings = await admin.bindings.list(withRemoved);
  if (bindings.length === 0) return [];
  const lanes = await admin.lanes.list();
  return bindings.map((binding) =>
    describeBinding(
      binding,
      lanes.filter(({ cluster, topic }) => cluster === binding.cluster && topic === binding.topic),
      Date.now(),
    ),
  );
}

function describeBinding(binding: StoredBinding, lanes: readonly ListedLane[], nowMs: number): BoundTopic {
  const progress = {
    lanes: lanes.length,
    unread: lanes.reduce((sum, { unread }) => sum + (unread ?? 0), 0),
    writtenAt:
      lanes
        .flatMap(({ writtenAt }) => writtenAt ?? [])
        .toSorted()
        .at(-1) ?? null,
  };
  const { removedAt, checkedAt, problem } = binding;
  if (removedAt !== null) return { ...binding, ...progress, state: 'removed', reason: null };
  if (checkedAt === null)
    return { ...binding, ...progress, state: 'waiting', reason: 'no ingest process has looked yet' };
  if (nowMs - Date.parse(checkedAt) > staleAfterMs)
    return { ...binding, ...progress, state: 'not read', reason: `no ingest process has looked since ${checkedAt}` };
  if (problem !== null) return { ...binding, ...progress, state: 'not read', reason: problem };
  const halted = lanes.find(({ reason }) => reason !== null);
  const reason = halted === undefined ? null : `${halted.topic}/${halted.partition} ${halted.state}: ${halted.reason}`;
  return { ...binding, ...progress, state: lanes.length === 0 ? 'waiting' : 'read', reason };
}

export function formatBindings(bindings: readonly BoundTopic[]): string {
  return formatTable(
    bindings,
    [
      ['topic', ({ topic }) => topic],
      ['cluster', ({ cluster }) => cluster],
      ['format', ({ format }) => format],
      ['tenant', ({ tenantId, tenantPath }) => tenantId ?? `from ${tenantPath}`],
      ['state', ({ state }) => state],
      ['lanes', ({ lanes }) => lanes],
      ['unread', ({ unread }) => unread.toLocaleString('en')],
      ['last written', ({ writtenAt }) => writtenAt],
      ['reason', ({ reason }) => reason],
    ],
    'No topic is bound.',
  );
}
