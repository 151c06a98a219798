import { type Admin, type BoundTopicState, describeBoundTopic, type StoredBinding } from '@tenantscope/store/admin';
import { formatTable } from '../../output/table.ts';

/** A source binding with the state of its topic. */
export type BoundTopic = StoredBinding & BoundTopicState;

export async function listBoundTopics(admin: Admin, withRemoved: boolean): Promise<readonly BoundTopic[]> {
  const bindings = await admin.bindings.list(withRemoved);
  if (bindings.length === 0) return [];
  const lanes = await admin.lanes.list();
  return bindings.map((binding) => ({ ...binding, ...describeBoundTopic(binding, lanes, Date.now()) }));
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
