import { type Admin, type BoundTopicState, describeBoundTopic, type StoredBinding } from '@tenantscope/store/admin';
import { formatTable } from '../../output/table.ts';

/** A source binding with the state of its topic. */
export type BoundTopic = StoredBinding & BoundTopicState;

/** Lanes are of the cells that respond; the problems name the others. */
export async function listBoundTopics(
  admin: Admin,
  withRemoved: boolean,
): Promise<{ readonly bindings: readonly BoundTopic[]; readonly problems: readonly string[] }> {
  const bindings = await admin.bindings.list(withRemoved);
  if (bindings.length === 0) return { bindings: [], problems: [] };
  const { found, problems } = await admin.lanes.listAvailable();
  return {
    bindings: bindings.map((binding) => ({ ...binding, ...describeBoundTopic(binding, found, Date.now()) })),
    problems,
  };
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
