import { writePack } from '@tenantscope/compliance';
import {
  ApiError,
  feedNames,
  type getAgentEvidencePack,
  type OperationInput,
  productVersion,
} from '@tenantscope/contract';
import type { SigningKey } from '@tenantscope/proof';
import { QueryTimedOut, tryAdvisoryLock, withReadSnapshot } from '@tenantscope/store/connection';
import { readNewestStamp, type Watermark } from '@tenantscope/store/read';
import { type Caller, requireTenant } from '../auth/caller.ts';
import { serviceUnavailable } from '../http/error-response.ts';
import type { OperationResult } from '../invoke.ts';
import { packRetrySeconds, packStatementTimeoutMs } from '../limits.ts';
import type { ReadDependencies } from '../records/list.ts';
import type { ConcurrencyLimiter } from '../throttling/concurrency-limit.ts';
import { createSectionCursorEncoder, parseEvidencePackRequest } from './evidence-pack-request.ts';

export interface PackDependencies {
  /** Limits packs to one at a time per key and a few in total. */
  readonly packLimiter: ConcurrencyLimiter;
  readonly signing: { readonly key: SigningKey; readonly keysUrl: string } | null;
}

/** Builds an evidence pack. A second request of the same key is queued; it gets 503 if another instance is building a pack for the key. */
export function handleEvidencePack(
  sources: ReadDependencies & PackDependencies,
  caller: Caller,
  input: OperationInput<typeof getAgentEvidencePack>,
): Promise<OperationResult> {
  const signal = caller.disconnectSignal();
  return sources.packLimiter.run(caller.keyId, async () => {
    signal.throwIfAborted();
    return { body: await buildPack(sources, caller, input, signal).catch(toPublicError) };
  });
}

async function buildPack(
  { models, watermark, cursors, signing }: ReadDependencies & PackDependencies,
  caller: Caller,
  input: OperationInput<typeof getAgentEvidencePack>,
  signal: AbortSignal,
): Promise<Buffer> {
  const tenant = requireTenant(caller);
  const settled = requireSettledThrough(watermark);
  const request = parseEvidencePackRequest(input, cursors, tenant.id, settled.throughMs);
  return withReadSnapshot(
    models.poolFor(tenant.id),
    tenant.id,
    async (client) => {
      await client.query("select set_config('statement_timeout', $1, true)", [String(packStatementTimeoutMs)]);
      if (!(await tryAdvisoryLock(client, `evidence pack ${caller.keyId}`)))
        throw serviceUnavailable('An evidence pack is already being built for this key.', undefined, packRetrySeconds);
      const storedThroughMs =
        request.continued?.storedThroughMs ??
        (await readNewestStamp(client, tenant.id, settled.throughMs)) ??
        settled.throughMs;
      return writePack(
        { client, tenantId: tenant.id, fromMs: request.fromMs, toMs: request.toMs, storedThroughMs },
        {
          tenant,
          framework: request.framework,
          sections: request.sections,
          continued: request.continued,
          generatedAtMs: Math.round(settled.databaseNowMs),
          generatedBy: `${caller.name} (key ${caller.keyId})`,
          serviceVersion: productVersion,
          signing,
          sealCursor: createSectionCursorEncoder(cursors, tenant.id, request, storedThroughMs),
          signal,
        },
      );
    },
    { signal },
  );
}

/** The time through which all feeds of packs and reports are complete. */
export function requireSettledThrough(watermark: Watermark) {
  const watermarks = feedNames.map((feed) => watermark.settled(feed));
  return watermarks.reduce<{ throughMs: number; databaseNowMs: number }>(
    (least, settled) => {
      if (settled === null)
        throw serviceUnavailable('Feed completeness is temporarily unknown (watermark unavailable).');
      return {
        throughMs: Math.min(least.throughMs, settled.throughMs),
        databaseNowMs: Math.min(least.databaseNowMs, settled.databaseNowMs),
      };
    },
    { throughMs: Number.POSITIVE_INFINITY, databaseNowMs: Number.POSITIVE_INFINITY },
  );
}

function toPublicError(error: unknown): never {
  if (!(error instanceof QueryTimedOut)) throw error;
  throw new ApiError(
    'QUERY_TIMEOUT',
    'The pack took too long. Narrow from and to, or request fewer sections with sections.',
    undefined,
    {},
    { cause: error },
  );
}
