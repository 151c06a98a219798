import { writePack } from '@tenantscope/compliance';
import {
  ApiError,
  type EvidencePack,
  getAgentEvidencePack,
  type OperationInput,
  productVersion,
} from '@tenantscope/contract';
import { InvalidKeyError } from '@tenantscope/proof';
import { QueryTimedOut, type StatementRunner, withReadSnapshot } from '@tenantscope/store/connection';
import { readNewestStamp } from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenant } from '../auth/caller.ts';
import { invalidParameter } from '../invalid-parameter.ts';
import type { OperationResult } from '../invoke.ts';
import { contendedPackStatementTimeoutMs, packStatementTimeoutMs, packTimeoutMs } from '../limits.ts';
import { requireSettledThrough } from '../records/settled-bound.ts';
import type { DocumentDependencies } from './document-dependencies.ts';
import { summarizePack } from './document-view.ts';
import { createSectionCursorEncoder, parseEvidencePackRequest } from './evidence-pack-request.ts';

/** Builds an evidence pack, within the limits of documents; aborted when the client disconnects. */
export function handleEvidencePack(
  sources: DocumentDependencies,
  caller: Caller,
  input: OperationInput<typeof getAgentEvidencePack>,
): Promise<OperationResult> {
  const signal = caller.disconnectSignal();
  return sources.documentLimiter.run(requireSlotOwner(caller), signal, async (runStatement) => ({
    body: await buildPack(sources, caller, input, { signal, runStatement }).catch(toPublicError),
  }));
}

async function buildPack(
  { documentModels, watermark, cursors, readSigning }: DocumentDependencies,
  caller: Caller,
  input: OperationInput<typeof getAgentEvidencePack>,
  { signal, runStatement }: { signal: AbortSignal; runStatement: StatementRunner },
): Promise<Buffer> {
  const tenant = requireTenant(caller);
  const settled = requireSettledThrough(watermark, tenant.id);
  const signing = await readSigning();
  const request = parseEvidencePackRequest(input, cursors, tenant.id, settled.throughMs);
  const pack = await withReadSnapshot(
    documentModels.poolFor(tenant.id),
    tenant.id,
    async (client) => {
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
          pseudonymisation: request.pseudonymisation,
          sealCursor: createSectionCursorEncoder(cursors, tenant.id, request, storedThroughMs),
          signal,
        },
      );
    },
    {
      timeoutMs: packTimeoutMs,
      statementTimeoutMs: runStatement.isPaced() ? contendedPackStatementTimeoutMs : packStatementTimeoutMs,
      signal,
      runStatement,
      usesSecondConnection: true,
    },
  );
  return request.isSummary ? summarize(pack) : pack;
}

/** In the canonical order of members, as the pack has them. */
function summarize(pack: Buffer): Buffer {
  const { data } = JSON.parse(pack.toString()) as { data: EvidencePack };
  return Buffer.from(JSON.stringify({ data: summarizePack(data) }));
}

function toPublicError(error: unknown): never {
  if (error instanceof InvalidKeyError)
    throw invalidParameter(getAgentEvidencePack, 'recipientKey', 'is not a usable X25519 key');
  if (!(error instanceof QueryTimedOut)) throw error;
  throw new ApiError(
    'QUERY_TIMEOUT',
    'The pack took too long. Narrow from and to, or request fewer sections with sections.',
    undefined,
    {},
    { cause: error },
  );
}
