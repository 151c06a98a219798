import { renderReport, UnknownIncident } from '@tenantscope/compliance';
import { ApiError, type getReport, type InputOf, type Report } from '@tenantscope/contract';
import { atOneMoment, QueryTimedOut, readNewestStamp } from '@tenantscope/store';
import { type Caller, tenantOf } from './caller.ts';
import type { Answer } from './invoke.ts';
import { reportTimeoutMs } from './limits.ts';
import type { ListSources } from './list.ts';
import { settledThrough } from './pack.ts';
import { askedReport } from './report-request.ts';

/** A report, from the facts of one moment. It takes its turn like a page, and is given up when its caller hangs up. */
export async function answerReport(
  { models, turns, watermark }: ListSources,
  caller: Caller,
  input: InputOf<typeof getReport>,
): Promise<Answer> {
  const tenant = tenantOf(caller);
  const hungUp = caller.hangUp();
  const settled = settledThrough(watermark);
  const asked = askedReport(input, settled.throughMs);
  const render = (): Promise<Report> =>
    atOneMoment(
      models.poolFor(tenant.id),
      tenant.id,
      async (client) => {
        const newestMs = await readNewestStamp(client, tenant.id, settled.throughMs);
        const { fromMs, toMs, lang, framework, incidentId } = asked;
        return renderReport(
          {
            client,
            tenantId: tenant.id,
            connectedAtMs: tenant.connectedAtMs,
            fromMs,
            toMs,
            knownThroughMs: newestMs ?? settled.throughMs,
            lang,
            framework,
            incidentId,
          },
          {
            template: asked.template,
            tenant: { id: tenant.id, name: tenant.name },
            parameters: asked.parameters,
            generatedAtMs: Math.round(settled.databaseNowMs),
            generatedBy: `${caller.name} (key ${caller.keyId})`,
          },
        );
      },
      { timeoutMs: reportTimeoutMs, hungUp },
    );
  const report = await turns.take(caller.keyId, () => render().catch(inOtherWords));
  return { body: JSON.stringify({ data: report }) };
}

function inOtherWords(error: unknown): never {
  if (error instanceof UnknownIncident)
    throw new ApiError(
      'NOT_FOUND',
      'This tenant has no detection and no security alert of that incidentId. Take an id from list_detections or list_security_alerts.',
    );
  if (!(error instanceof QueryTimedOut)) throw error;
  throw new ApiError(
    'QUERY_TIMEOUT',
    'The report took too long. Narrow from and to where the template takes them, or repeat the request later.',
    undefined,
    {},
    { cause: error },
  );
}
