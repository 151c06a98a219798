import type { Actor } from '../activity/activity.ts';
import type { RowReader } from '../activity/row-reader.ts';
import { readGraphRequest } from '../entra/graph-activity.ts';
import { firstGuid } from '../field/guid.ts';
import { toText } from '../json/value.ts';
import { type TableReader, type TableReading, unknownActor } from './table-reading.ts';

/** Requests to Graph. Microsoft documents the name in both spellings. */
export const graphTables: readonly (readonly [table: string, read: TableReader])[] = [
  ['GraphAPIAuditEvents', readRequest],
  ['GraphApiAuditEvents', readRequest],
];

function readRequest(row: RowReader): Partial<TableReading> {
  const { RequestMethod: method, ResponseStatusCode: status } = row.columns;
  const { verdict, errorCode, ...request } = readGraphRequest(row.text('RequestUri'), method, status);
  const clientId = firstGuid(row.columns.ApplicationId);
  if (clientId !== null) row.markShown('ApplicationId');
  return {
    ...request,
    action: 'Microsoft Graph Activity',
    upstream: verdict,
    actor: readCaller(row),
    actorIp: row.address('IpAddress', 'IPAddress'),
    application: { clientId, displayName: null },
    context: { errorCode, sessionId: row.text('UniqueTokenIdentifier'), correlationId: row.text('OperationId') },
  };
}

/** `EntityType` is `user` for requests on behalf of a user, else the account is the service principal. */
function readCaller(row: RowReader): Actor {
  const kind = toText(row.columns.EntityType)?.toLowerCase() ?? 'user';
  const id = row.text('AccountObjectId');
  if (id !== null) return { id, name: null, type: kind === 'user' ? 'user' : 'servicePrincipal' };
  const service = row.text('ServicePrincipalId');
  if (service !== null) return { id: service, name: null, type: 'servicePrincipal' };
  const app = row.text('ApplicationId');
  return app === null ? unknownActor : { id: app, name: null, type: 'application' };
}
