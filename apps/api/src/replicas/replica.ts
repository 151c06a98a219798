import { setTimeout as sleep } from 'node:timers/promises';
import {
  findReplicaProblem,
  openReadModels,
  type ReadModels,
  type Watermark,
  watchWatermark,
} from '@tenantscope/store/read';
import type { ApiConfig } from '../config.ts';
import { replicaCheckIntervalMs, reservedConnections, watermarkIntervalMs } from '../limits.ts';

/** A standby that pages and documents are read from, with what is complete there. */
export interface Replica extends AsyncDisposable {
  /** Host and port. */
  readonly name: string;
  readonly models: ReadModels;
  readonly documentModels: ReadModels;
  readonly watermark: Watermark;
  /** Why it may not be read at all; null after its check. */
  problem(): string | null;
}

export interface ReplicaOptions {
  readonly config: ApiConfig;
  readonly primary: ReadModels;
  /** The standbys that may be promoted: what they lack is not served from a replica either. */
  readonly standbys: readonly ReadModels[];
  readonly onRoundTrip: (ms: number) => void;
}

/** Opens a replica. It may be down: it is checked until it responds, and not read before. */
export async function openReplica(url: string, options: ReplicaOptions): Promise<Replica> {
  const { config, primary, standbys, onRoundTrip } = options;
  await using stack = new AsyncDisposableStack();
  const open = (name: string, concurrency: number) =>
    stack.use(
      openReadModels(url, {
        name,
        variable: 'TENANTSCOPE_POSTGRES_READ_URLS',
        maxConnections: concurrency + reservedConnections,
      }),
    );
  const models = open('tenantscope api', config.TENANTSCOPE_READ_CONCURRENCY);
  const documentModels = open('tenantscope api documents', config.TENANTSCOPE_DOCUMENT_CONCURRENCY);
  const watermark = stack.use(
    await watchWatermark(
      [models, ...standbys].flatMap((node) => node.pools()),
      { intervalMs: watermarkIntervalMs, onRoundTrip },
    ),
  );
  const check = stack.use(checkUntilAccepted(primary, models));
  const all = stack.move();
  return {
    name: new URL(url).host,
    models,
    documentModels,
    watermark,
    problem: check.problem,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function checkUntilAccepted(primary: ReadModels, replica: ReadModels) {
  const stopping = new AbortController();
  let problem: string | null = 'it was not checked yet';
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
