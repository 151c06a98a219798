import { processorTimeUs } from '../processor-time.ts';
import type { LargeDatabase } from './database.ts';

/** A response to one request: what it was, and how long it took. */
export interface Timing {
  readonly ms: number;
  /** Of the body as sent, compressed or not. */
  readonly bytes: number;
  /** Null for 200; otherwise the status and the code of the error. */
  readonly failure: string | null;
}

/** Requests the API as the large tenant. */
export interface LargeClient {
  request(path: string, encoding?: string): Promise<Timing>;
}

const requestsPerKey = 400;

/** A key may send 600 requests a minute: the keys are used in turn. */
export function createLargeClient(port: number, secrets: readonly string[], { state }: LargeDatabase): LargeClient {
  let requests = 0;
  return {
    async request(path, encoding = 'identity') {
      const secret = secrets[Math.floor(requests++ / requestsPerKey) % secrets.length];
      const startedMs = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        headers: {
          authorization: `Bearer ${secret}`,
          'x-tenant-id': state.tenantIds[0] as string,
          'accept-encoding': encoding,
        },
      });
      const body = Buffer.from(await response.arrayBuffer());
      const ms = performance.now() - startedMs;
      const bytes = Number(response.headers.get('content-length') ?? body.length);
      return { ms, bytes, failure: response.status === 200 ? null : describeFailure(response.status, body) };
    },
  };
}

function describeFailure(status: number, body: Buffer): string {
  const code = /"code":"(\w+)"/.exec(body.toString('utf8'))?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** Failures as text: `3 × 504 QUERY_TIMEOUT`. */
export function countFailures(timings: readonly Timing[]): string {
  const failures = timings.flatMap(({ failure }) => (failure === null ? [] : [failure]));
  return [...Map.groupBy(failures, (failure) => failure)].map(([name, all]) => `${all.length} × ${name}`).join(', ');
}

/** Requests one after the other. */
export interface Requested {
  readonly timings: readonly Timing[];
  /** Processor time of PostgreSQL per request, the only figure that other work on the machine hardly changes. */
  readonly postgresMs: number;
}

/** Requests a path at least `min` times, and up to `max` times as long as `ms` have not passed. */
export async function requestRepeatedly(
  { client, postgresPid }: { client: LargeClient; postgresPid: number },
  path: string,
  { min, max, ms }: { min: number; max: number; ms: number },
): Promise<Requested> {
  const timings: Timing[] = [];
  const usedUs = processorTimeUs(postgresPid);
  const endsMs = performance.now() + ms;
  while (timings.length < min || (timings.length < max && performance.now() < endsMs))
    timings.push(await client.request(path));
  const postgresMs = (processorTimeUs(postgresPid) - usedUs) / 1_000 / timings.length;
  return { timings, postgresMs: Math.round(postgresMs * 10) / 10 };
}

export const sumFailures = (requested: Requested | undefined): string => countFailures(requested?.timings ?? []);
