import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@tenantscope/store/connection';
import {
  findReplicaProblem,
  openReadModels,
  type ReadModels,
  readServerStart,
  type Watermark,
  watchWatermark,
} from '@tenantscope/store/read';
import type { Standbys } from '../cells/standbys.ts';
import type { ApiConfig } from '../config.ts';
import {
  connectionsPerDocument,
  documentQueryTimeoutMs,
  replicaCheckIntervalMs,
  reservedConnections,
  watermarkIntervalMs,
} from '../limits.ts';

/** A standby that pages and documents are read from, with what is complete there. */
export interface Replica extends AsyncDisposable {
  /** Host and port. */
  readonly name: string;
  readonly models: ReadModels;
  readonly documentModels: ReadModels;
  readonly watermark: Watermark;
  /**
   * A standby that crashed shows an earlier state than before. Watermark and connections are of one run of the server, so what was read is as complete as
   * the watermark says if this time is the same before and after.
   */
  serverStartedMs(): number | null;
  /** Why it may not be read at all; null after its check. */
  problem(): string | null;
}

export interface ReplicaOptions {
  readonly config: ApiConfig;
  readonly primary: ReadModels;
  /** That has its URL, for messages. */
  readonly variable: string;
  /** The standbys that may be promoted: what they lack is not served from a replica either. */
  readonly standbys: Pick<Standbys, 'models' | 'names'>;
  /** Of them, those that commits of the primary wait for. */
  readonly awaited: Watermark['awaited'];
  readonly onRoundTrip: (ms: number) => void;
}

/** Opens a replica. It may be down: it is checked until it responds, and not read before. */
export async function openReplica(url: string, options: ReplicaOptions): Promise<Replica> {
  const { variable, config, primary, standbys, awaited, onRoundTrip } = options;
  await using stack = new AsyncDisposableStack();
  const watched = stack.use(openReadModels(url, { name: 'tenantscope api', variable, maxConnections: 3 }));
  const watermark = stack.use(
    await watchWatermark(
      [watched, ...standbys.models].flatMap((node) => node.pools()),
      {
        intervalMs: watermarkIntervalMs,
        standbyNames: standbys.names,
        awaited,
        onRoundTrip,
      },
    ),
  );
  const open = (name: string, connections: number, own: { queryTimeoutMs?: number } = {}) =>
    stack.use(
      openModelsOfRun(watermark, (verify) =>
        openReadModels(url, {
          name,
          variable,
          ...own,
          maxConnections: connections + reservedConnections,
          verify,
        }),
      ),
    );
  const models = open('tenantscope api', config.TENANTSCOPE_READ_CONCURRENCY);
  const documentModels = open(
    'tenantscope api documents',
    config.TENANTSCOPE_DOCUMENT_CONCURRENCY * connectionsPerDocument,
    { queryTimeoutMs: documentQueryTimeoutMs },
  );
  const check = stack.use(checkUntilAccepted(primary, watched));
  const all = stack.move();
  return {
    name: new URL(url).host,
    models,
    documentModels,
    watermark,
    serverStartedMs: watermark.serverStartedMs,
    problem: check.problem,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Read models of the run of the server that the watermark is of: all connections are to that run. After a restart there are others. */
function openModelsOfRun(
  { serverStartedMs }: Pick<Watermark, 'serverStartedMs'>,
  open: (verify: NonNullable<Parameters<typeof openReadModels>[1]['verify']>) => ReadModels,
): ReadModels {
  const openRun = (startedMs: number | null) => ({
    startedMs,
    models: open(async (client) => {
      if ((await readServerStart(client)) !== startedMs)
        throw new StoreUnavailable('the replica was restarted, and its watermark was not read since');
    }),
  });
  let run = openRun(serverStartedMs());
  let ending = Promise.resolve();
  const current = (): ReadModels => {
    if (run.startedMs === serverStartedMs()) return run.models;
    const ended = run.models;
    ending = ending.then(() => ended[Symbol.asyncDispose]()).catch(() => {});
    run = openRun(serverStartedMs());
    return run.models;
  };
  return {
    poolFor: (tenantId) => current().poolFor(tenantId),
    pools: () => current().pools(),
    sealedBeforeMs: run.models.sealedBeforeMs,
    async [Symbol.asyncDispose]() {
      await Promise.all([ending, run.models[Symbol.asyncDispose]()]);
    },
  };
}

function checkUntilAccepted(primary: ReadModels, replica: ReadModels) {
  const stopping = new AbortController();
  let problem: string | null = 'not checked yet';
  const check = async () => {
    while (!stopping.signal.aborted) {
      problem = await findReplicaProblem(primary, replica).catch((error: unknown) => (error as Error).message);
      if (problem === null) return;
      await sleep(replicaCheckIntervalMs, null, { signal: stopping.signal }).catch(() => null);
    }
  };
  const checking = check();
  return {
    problem: () => problem,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await checking;
    },
  };
}
