import { renderReport, UnknownIncident } from '@tenantscope/compliance';
import { ApiError, type getReport, type OperationInput, type Report } from '@tenantscope/contract';
import { QueryTimedOut, type StatementRunner, withReadSnapshot } from '@tenantscope/store/connection';
import { readNewestStamp } from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenant } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { reportStatementTimeoutMs, reportTimeoutMs } from '../limits.ts';
import { requireSettledThrough } from '../records/settled-bound.ts';
import type { DocumentDependencies } from './document-dependencies.ts';
import { parseReportRequest } from './report-request.ts';

/** Renders a report from a single snapshot, within the limits of documents; aborted when the client disconnects. */
export async function handleReport(
  { documentModels, documentLimiter, watermark, findTimeZone }: DocumentDependencies,
  caller: Caller,
  input: OperationInput<typeof getReport>,
): Promise<OperationResult> {
  const tenant = requireTenant(caller);
  const signal = caller.disconnectSignal();
  const settled = requireSettledThrough(watermark, tenant.id);
  const request = parseReportRequest(input, settled.throughMs, tenant.connectedAtMs);
  const timeZone = await findTimeZone(tenant.id);
  const render = (runStatement: StatementRunner): Promise<Report> =>
    withReadSnapshot(
      documentModels.poolFor(tenant.id),
      tenant.id,
      async (client) => {
        const newestMs = await readNewestStamp(client, tenant.id, settled.throughMs);
        const { fromMs, toMs, lang, framework, incidentId } = request;
        return renderReport(
          {
            client,
            tenantId: tenant.id,
            connectedAtMs: tenant.connectedAtMs,
            timeZone,
            fromMs,
            toMs,
            // Without any row nothing was recorded after the end.
            storedThroughMs: newestMs ?? toMs,
            lang,
            framework,
            incidentId,
          },
          {
            template: request.template,
            tenant: { id: tenant.id, name: tenant.name },
            parameters: request.parameters,
            generatedAtMs: Math.round(settled.databaseNowMs),
            generatedBy: `${caller.name} (key ${caller.keyId})`,
          },
        );
      },
      {
        timeoutMs: reportTimeoutMs,
        statementTimeoutMs: reportStatementTimeoutMs,
        signal,
        runStatement,
        usesSecondConnection: true,
      },
    );
  const report = await documentLimiter.run(requireSlotOwner(caller), signal, (runStatement) =>
    render(runStatement).catch(toPublicError),
  );
  return { body: JSON.stringify({ data: report }) };
}

function toPublicError(error: unknown): never {
  if (error instanceof UnknownIncident)
    throw new ApiError(
      'NOT_FOUND',
      'This tenant has no detection or security alert with this incidentId. Use an id that list_detections or list_security_alerts returns.',
    );
  if (!(error instanceof QueryTimedOut)) throw error;
  throw new ApiError(
    'QUERY_TIMEOUT',
    'The report took too long. Narrow from and to if the template has them, or repeat the request later.',
    undefined,
    {},
    { cause: error },
  );
}
