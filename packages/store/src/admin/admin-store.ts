import { defaultCell } from '@tenantscope/runtime';
import type { RecordState } from '../ingest/record/record-batch.ts';
import {
  type AvailableRows,
  collectAvailable,
  createCellPools,
  type InstallationUrls,
  nameCell,
} from './cell-pools.ts';
import { createCell, listCellStates, listCells } from './cells.ts';
import * as collectors from './collectors.ts';
import { incidentExists, writeComplianceState } from './compliance.ts';
import { openAdminPool, translateErrors } from './database.ts';
import { createDeadLetterStore, type DeadLetterLedger } from './dead-letter-store.ts';
import * as directory from './directory.ts';
import { createImportStore } from './import-store.ts';
import { type ListedLane, listLanes, readSkip, requestSkip, resumeLane } from './lanes.ts';
import { createSnapshotStore } from './snapshot-store.ts';
import * as bindings from './source-bindings.ts';
import { listSources } from './sources.ts';
import { listStatementStates } from './statement-states.ts';
import { readStatus, type Status } from './status.ts';
import { createTenantStore } from './tenant-store.ts';
import { resetRowVersion, type VersionedRow } from './versions.ts';

/** Everything an operator may do, with the admin login. The audit log names `actor` with each change, such as `cli:maria`. Throws DirectoryError (safe to show) and StoreUnavailable. */
export type Admin = Awaited<ReturnType<typeof connectAdmin>>;

export async function connectAdmin(urls: InstallationUrls, actor: string) {
  const control = await openAdminPool(urls.control, actor);
  const cells = createCellPools({ control, urls }, actor);
  const ledgers: readonly DeadLetterLedger[] = [
    ...cells.names.map((cell) => ({ cell, schema: 'models' as const, open: () => cells.open(cell) })),
    { cell: defaultCell, schema: 'control', open: async () => control },
  ];
  return {
    organizations: {
      create: (input: { name: string }) => translateErrors(directory.createOrganization(control, input)),
      list: () => translateErrors(directory.listOrganizations(control)),
    },
    cells: {
      create: (input: Parameters<typeof createCell>[1]) => translateErrors(createCell(control, input)),
      list: () => translateErrors(listCells(control)),
      /** With what the database of each says. */
      states: () => listCellStates(control, cells),
    },
    tenants: createTenantStore({ control, cells }),
    keys: {
      create: (input: Parameters<typeof directory.createKey>[1]) =>
        translateErrors(directory.createKey(control, input)),
      list: (owner?: directory.KeyOwner) => translateErrors(directory.listKeys(control, owner)),
      revoke: (id: string) => translateErrors(directory.revokeKey(control, id)),
    },
    deadLetters: createDeadLetterStore(ledgers),
    imports: createImportStore({ control, cells }),
    collectors: {
      /** The id; null where the tenant has a collector of this provider and address. */
      create: (input: collectors.NewCollector) => translateErrors(collectors.createCollector(control, input)),
      /** Of one tenant, or of all where it is null. */
      list: (tenantId: string | null) => translateErrors(collectors.listCollectors(control, tenantId)),
      setState: (id: string, state: collectors.ListedCollector['state']) =>
        translateErrors(collectors.setCollectorState(control, id, state)),
    },
    lanes: {
      list: async () =>
        translateErrors(listLanes({ models: (await cells.openAll()).map(({ pool }) => pool), control })),
      /** Of the cells that respond. */
      async listAvailable(): Promise<AvailableRows<ListedLane>> {
        const { found, problems } = await collectAvailable(cells.names, async (cell) => [await cells.open(cell)]);
        return { found: await translateErrors(listLanes({ models: found, control })), problems };
      },
      /** How many lanes were stopped, in the cells that respond. */
      resume: (lane: Pick<ListedLane, 'cluster' | 'topic' | 'partition'>): Promise<AvailableRows<number>> =>
        collectAvailable(ledgers, async ({ cell, open, schema }) => [
          await nameCell(cell, resumeLane(await open(), schema, lane)),
        ]),
      requestSkip: (lane: ListedLane, input: { toOffset: number; reason: string }) =>
        translateErrors(requestSkip(control, lane, input)),
      readSkip: (id: string) => translateErrors(readSkip(control, id)),
    },
    bindings: {
      /** Null where the topic has one. */
      create: (input: bindings.NewBinding) => translateErrors(bindings.createBinding(control, input)),
      list: (withRemoved: boolean) => translateErrors(bindings.listBindings(control, withRemoved)),
      /** Of present and former bindings. */
      listTopics: (tenantId: string) => translateErrors(bindings.listBoundTopicsOf(control, tenantId)),
      /** Null where the topic has none. */
      remove: (cluster: string, topic: string) => translateErrors(bindings.removeBinding(control, cluster, topic)),
    },
    snapshots: createSnapshotStore(cells),
    compliance: {
      /** Newest first. */
      statementStates: (tenantId: string, query: Parameters<typeof listStatementStates>[2]) =>
        cells.runIn(tenantId, (models) => listStatementStates(models, tenantId, query)),
      /** Whether the tenant has a detection or an alert with this id. */
      incidentExists: (tenantId: string, id: string) =>
        cells.runIn(tenantId, (models) => incidentExists(models, tenantId, id)),
      write: (state: RecordState) => cells.runWithUrl(state.tenantId, (url) => writeComplianceState(url, actor, state)),
    },
    versions: {
      reset: async (row: VersionedRow, how: Parameters<typeof resetRowVersion>[2]) =>
        translateErrors(resetRowVersion(row.tenantId === null ? control : await cells.openOf(row.tenantId), row, how)),
    },
    /** Of the cell default; `cells.states` is of all. */
    status: async () => translateErrors(readStatus({ models: await cells.open(defaultCell), control })),
    /** The same; null while the cell default does not respond and is one of several. */
    async availableStatus(): Promise<Status | null> {
      const { found } = await collectAvailable([defaultCell], async () => [await this.status()]);
      return found[0] ?? null;
    },
    /** Of one tenant, or, where it is null, of all in the cells that respond. */
    sources: (tenantId: string | null) => listSources({ control, cells }, tenantId),
    async [Symbol.asyncDispose]() {
      await control.end();
      await cells[Symbol.asyncDispose]();
    },
  };
}
