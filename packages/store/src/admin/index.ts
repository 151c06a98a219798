import type { RecordState } from '../record-batch.ts';
import { writeComplianceState } from './compliance.ts';
import { asked, openAdminPool } from './database.ts';
import * as letters from './dead-letters.ts';
import * as directory from './directory.ts';
import { listLanes, resumeLane } from './lanes.ts';
import * as snapshots from './snapshots.ts';
import { readStatus } from './status.ts';

/** Everything an operator may do, with the admin's login. `actor` stands in the audit beside each change, such as `cli:maria`. Failures: DirectoryError (fit to be shown), StoreUnavailable. */
export type Admin = Awaited<ReturnType<typeof connectAdmin>>;

export async function connectAdmin(urls: { models: string; control: string }, actor: string) {
  const models = await openAdminPool(urls.models, actor);
  const control = urls.control === urls.models ? models : await openAdminPool(urls.control, actor);
  const ledgers = [
    { pool: models, schema: 'models' },
    { pool: control, schema: 'control' },
  ] as const;

  return {
    organizations: {
      create: (wanted: { name: string }) => asked(directory.createOrganization(control, wanted)),
      list: () => asked(directory.listOrganizations(control)),
    },
    tenants: {
      create: (wanted: Parameters<typeof directory.createTenant>[1]) => asked(directory.createTenant(control, wanted)),
      list: (of?: { organizationId?: string }) => asked(directory.listTenants(control, of)),
      find: (either: string) => asked(directory.findTenant(control, either)),
      setPlan: (tenantId: string, plan: 'api' | 'none') => asked(directory.setPlan(control, tenantId, plan)),
    },
    keys: {
      create: (wanted: Parameters<typeof directory.createKey>[1]) => asked(directory.createKey(control, wanted)),
      list: (owner?: directory.KeyOwner) => asked(directory.listKeys(control, owner)),
      revoke: (id: string) => asked(directory.revokeKey(control, id)),
    },
    deadLetters: {
      /** Newest first, of all ledgers. */
      async list(wanted: Parameters<typeof letters.listDeadLetters>[2]) {
        const lists = await Promise.all(
          ledgers.map(({ pool, schema }) => asked(letters.listDeadLetters(pool, schema, wanted))),
        );
        return lists
          .flat()
          .sort((a, b) => (a.setAsideAt < b.setAsideAt ? 1 : -1))
          .slice(0, wanted.limit);
      },
      show: (id: string) => firstOf(ledgers, ({ pool, schema }) => asked(letters.showDeadLetter(pool, schema, id))),
      beginReplay: (id: string) => firstOf(ledgers, ({ pool, schema }) => asked(letters.beginReplay(pool, schema, id))),
      async discard(id: string): Promise<boolean> {
        for (const { pool, schema } of ledgers) {
          if (await asked(letters.discardDeadLetter(pool, schema, id))) return true;
        }
        return false;
      },
    },
    lanes: {
      list: async () => (await Promise.all(ledgers.map(({ pool, schema }) => asked(listLanes(pool, schema))))).flat(),
      async resume(topic: string, partition: number): Promise<number> {
        let resumed = 0;
        for (const { pool, schema } of ledgers) resumed += await asked(resumeLane(pool, schema, topic, partition));
        return resumed;
      },
    },
    snapshots: {
      /** Newest first, without documents. */
      list: (tenantId: string, limit: number) => asked(snapshots.listSnapshots(models, tenantId, limit)),
      find: (tenantId: string, id: string) => asked(snapshots.findSnapshot(models, tenantId, id)),
      /** With documents, oldest first. */
      chain: (tenantId: string) => snapshots.readChain(models, tenantId),
      request: (tenantId: string, requestedBy: string) =>
        asked(snapshots.requestSnapshot(models, tenantId, requestedBy)),
      showRequest: (id: string) => asked(snapshots.showRequest(models, id)),
    },
    compliance: {
      write: (state: RecordState) => writeComplianceState(urls.models, state),
    },
    status: () => asked(readStatus({ models, control })),
    async [Symbol.asyncDispose]() {
      await Promise.all([...new Set([models, control])].map((pool) => pool.end()));
    },
  };
}

async function firstOf<Place, Value>(
  places: readonly Place[],
  look: (place: Place) => Promise<Value | null>,
): Promise<Value | null> {
  for (const place of places) {
    const found = await look(place);
    if (found !== null) return found;
  }
  return null;
}
