import { writePack } from '@tenantscope/compliance';
import { ApiError, type getAgentEvidencePack, type InputOf } from '@tenantscope/contract';
import type { SigningKey } from '@tenantscope/proof';
import {
  atOneMoment,
  QueryTimedOut,
  readNewestStamp,
  settledFeeds,
  takeOnly,
  type Watermark,
} from '@tenantscope/store';
import about from '../package.json' with { type: 'json' };
import { type Caller, tenantOf } from './caller.ts';
import { unavailable } from './failure.ts';
import type { Answer } from './invoke.ts';
import { packRetrySeconds, packStatementTimeoutMs } from './limits.ts';
import type { ListSources } from './list.ts';
import { askedPack, sealPackCursor } from './pack-request.ts';
import type { Turns } from './turns.ts';

export interface PackSources {
  /** One pack of a key at a time, a few of all keys. */
  readonly packTurns: Turns;
  readonly signing: { readonly key: SigningKey; readonly keysUrl: string } | null;
}

/** An evidence pack. Whoever asks for a second one with the same key waits for its turn; beside another instance that makes one, 503. */
export function answerPack(
  sources: ListSources & PackSources,
  caller: Caller,
  input: InputOf<typeof getAgentEvidencePack>,
): Promise<Answer> {
  const hungUp = caller.hangUp();
  return sources.packTurns.take(caller.keyId, async () => {
    hungUp.throwIfAborted();
    return { body: await makePack(sources, caller, input, hungUp).catch(inOtherWords) };
  });
}

async function makePack(
  { models, watermark, cursors, signing }: ListSources & PackSources,
  caller: Caller,
  input: InputOf<typeof getAgentEvidencePack>,
  hungUp: AbortSignal,
): Promise<Buffer> {
  const tenant = tenantOf(caller);
  const settled = settledThrough(watermark);
  const asked = askedPack(input, cursors, tenant.id, settled.throughMs);
  return atOneMoment(
    models.poolFor(tenant.id),
    tenant.id,
    async (client) => {
      await client.query("select set_config('statement_timeout', $1, true)", [String(packStatementTimeoutMs)]);
      if (!(await takeOnly(client, `evidence pack ${caller.keyId}`)))
        throw unavailable('A pack of this key is being made already.', undefined, packRetrySeconds);
      const knownThroughMs =
        asked.continued?.knownThroughMs ??
        (await readNewestStamp(client, tenant.id, settled.throughMs)) ??
        settled.throughMs;
      return writePack(
        { client, tenantId: tenant.id, fromMs: asked.fromMs, toMs: asked.toMs, knownThroughMs },
        {
          tenant,
          framework: asked.framework,
          sections: asked.sections,
          continued: asked.continued,
          generatedAtMs: Math.round(settled.databaseNowMs),
          generatedBy: `${caller.name} (key ${caller.keyId})`,
          serviceVersion: about.version,
          signing,
          sealCursor: sealPackCursor(cursors, tenant.id, asked, knownThroughMs),
          hungUp,
        },
      );
    },
    { hungUp },
  );
}

/** How far everything that packs and reports are made of is complete. */
export function settledThrough(watermark: Watermark) {
  const standings = settledFeeds.map((feed) => watermark.settled(feed));
  return standings.reduce<{ throughMs: number; databaseNowMs: number }>(
    (least, standing) => {
      if (standing === null) throw unavailable('How far the feeds are complete cannot be proven at the moment.');
      return {
        throughMs: Math.min(least.throughMs, standing.throughMs),
        databaseNowMs: Math.min(least.databaseNowMs, standing.databaseNowMs),
      };
    },
    { throughMs: Number.POSITIVE_INFINITY, databaseNowMs: Number.POSITIVE_INFINITY },
  );
}

function inOtherWords(error: unknown): never {
  if (!(error instanceof QueryTimedOut)) throw error;
  throw new ApiError(
    'QUERY_TIMEOUT',
    'The pack took too long. Narrow from and to, or ask for some sections at a time with sections.',
    undefined,
    {},
    { cause: error },
  );
}
