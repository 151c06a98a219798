import type { RecordState } from '../ingest/record-batch.ts';
import * as collectors from './collectors.ts';
import { incidentExists, writeComplianceState } from './compliance.ts';
import { openAdminPool, translateErrors } from './database.ts';
import { createDeadLetterStore } from './dead-letter-store.ts';
import * as directory from './directory.ts';
import * as imports from './imports.ts';
import { type ListedLane, listLanes, readSkip, requestSkip, resumeLane } from './lanes.ts';
import * as snapshots from './snapshots.ts';
import * as bindings from './source-bindings.ts';
import { readSources } from './sources.ts';
import { listStatementStates } from './statement-states.ts';
import { readStatus } from './status.ts';
import { createTenantStore } from './tenant-store.ts';
import { resetRowVersion, type VersionedRow } from './versions.ts';

/** Everything an operator may do, with the admin login. The audit log names `actor` with each change, such as `cli:maria`. Throws DirectoryError (safe to show) and StoreUnavailable. */
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
      create: (input: { name: string }) => translateErrors(directory.createOrganization(control, input)),
      list: () => translateErrors(directory.listOrganizations(control)),
    },
    tenants: createTenantStore({ control, models }),
    keys: {
      create: (input: Parameters<typeof directory.createKey>[1]) =>
        translateErrors(directory.createKey(control, input)),
      list: (owner?: directory.KeyOwner) => translateErrors(directory.listKeys(control, owner)),
      revoke: (id: string) => translateErrors(directory.revokeKey(control, id)),
    },
    deadLetters: createDeadLetterStore(ledgers),
    imports: {
      create: (input: imports.NewImport) => translateErrors(imports.createImport(models, input)),
      find: (id: string) => translateErrors(imports.findImport(models, id)),
      /** Newest first. */
      list: (input: Parameters<typeof imports.listImports>[1]) => translateErrors(imports.listImports(models, input)),
      recordPublished: (id: string, published: number, isComplete: boolean) =>
        translateErrors(imports.recordPublished(models, id, published, isComplete)),
      readOutcome: (id: string) => translateErrors(imports.readImportOutcome(models, id)),
    },
    collectors: {
      /** The id; null where the tenant has a collector of this provider and address. */
      create: (input: collectors.NewCollector) => translateErrors(collectors.createCollector(control, input)),
      /** Of one tenant, or of all where it is null. */
      list: (tenantId: string | null) => translateErrors(collectors.listCollectors(control, tenantId)),
      setState: (id: string, state: collectors.ListedCollector['state']) =>
        translateErrors(collectors.setCollectorState(control, id, state)),
    },
    lanes: {
      list: () => translateErrors(listLanes({ models, control })),
      async resume(lane: Pick<ListedLane, 'cluster' | 'topic' | 'partition'>): Promise<number> {
        let resumed = 0;
        for (const { pool, schema } of ledgers) resumed += await translateErrors(resumeLane(pool, schema, lane));
        return resumed;
      },
      requestSkip: (lane: ListedLane, input: { toOffset: number; reason: string }) =>
        translateErrors(requestSkip(control, lane, input)),
      readSkip: (id: string) => translateErrors(readSkip(control, id)),
    },
    bindings: {
      /** Null where the topic has one. */
      create: (input: bindings.NewBinding) => translateErrors(bindings.createBinding(control, input)),
      list: (withRemoved: boolean) => translateErrors(bindings.listBindings(control, withRemoved)),
      /** Null where the topic has none. */
      remove: (cluster: string, topic: string) => translateErrors(bindings.removeBinding(control, cluster, topic)),
    },
    snapshots: {
      /** Newest first, without documents. */
      list: (tenantId: string, limit: number) => translateErrors(snapshots.listSnapshots(models, tenantId, limit)),
      find: (tenantId: string, id: string) => translateErrors(snapshots.findSnapshot(models, tenantId, id)),
      /** With documents, oldest first. */
      chain: (tenantId: string) => snapshots.readChain(models, tenantId),
      request: (tenantId: string, requestedBy: string) =>
        translateErrors(snapshots.requestSnapshot(models, tenantId, requestedBy)),
      readRequest: (id: string) => translateErrors(snapshots.readRequest(models, id)),
    },
    compliance: {
      /** Newest first. */
      statementStates: (tenantId: string, query: Parameters<typeof listStatementStates>[2]) =>
        translateErrors(listStatementStates(models, tenantId, query)),
      /** Whether the tenant has a detection or an alert with this id. */
      incidentExists: (tenantId: string, id: string) => translateErrors(incidentExists(models, tenantId, id)),
      write: (state: RecordState) => writeComplianceState(urls.models, actor, state),
    },
    versions: {
      reset: (row: VersionedRow, how: Parameters<typeof resetRowVersion>[2]) =>
        translateErrors(resetRowVersion(row.tenantId === null ? control : models, row, how)),
    },
    status: () => translateErrors(readStatus({ models, control })),
    /** Of one tenant, or of all where it is null. */
    sources: (tenantId: string | null) => translateErrors(readSources(models, tenantId)),
    async [Symbol.asyncDispose]() {
      await Promise.all([...new Set([models, control])].map((pool) => pool.end()));
    },
  };
}
