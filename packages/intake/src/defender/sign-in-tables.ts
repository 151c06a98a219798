import type { ActorType, EventSignIn, Severity } from '@tenantscope/contract';
import type { Actor } from '../activity/activity.ts';
import { noSignIn } from '../activity/event-context.ts';
import type { RowReader } from '../activity/row-reader.ts';
import { readSignInResult, toOutcome } from '../field/action-result.ts';
import { firstGuid } from '../field/guid.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { toInteger, toList, toText } from '../json/value.ts';
import { findHighest } from '../severity/severity.ts';
import { readPersonType } from './account.ts';
import { readLocation } from './identity-tables.ts';
import type { TableReader, TableReading } from './table-reading.ts';

/** Sign-ins of Entra as Defender's tables have them; the later names are those of the same tables out of beta. */
export const signInTables: readonly (readonly [table: string, read: TableReader])[] = [
  ['AADSignInEventsBeta', (row) => readSignIn(row, readUser(row))],
  ['EntraIdSignInEvents', (row) => readSignIn(row, readUser(row))],
  ['AADSpnSignInEventsBeta', (row) => readSignIn(row, readServicePrincipal(row))],
  ['EntraIdSpnSignInEvents', (row) => readSignIn(row, readServicePrincipal(row))],
];

function readSignIn(row: RowReader, actor: Actor): Partial<TableReading> {
  const code = row.text('ErrorCode');
  const result = code === null ? null : readSignInResult(toInteger(code));
  const userAgent = row.text('UserAgent');
  const resource = { id: row.text('ResourceId'), name: row.text('ResourceDisplayName') };
  return {
    action: 'Sign-in activity',
    actor,
    actorIp: row.address('IPAddress'),
    resource: { ...resource, type: 'application' },
    outcome: toOutcome(result),
    upstream: findHighest([rateRisk(row, 'RiskLevelDuringSignIn'), rateRisk(row, 'RiskLevelAggregated')]),
    device: {
      id: row.text('AadDeviceId', 'EntraIdDeviceId'),
      name: row.text('DeviceName'),
      isManaged: row.flag('IsManaged'),
    },
    application: { clientId: readApplicationId(row), displayName: row.text('Application') },
    clientApp: row.text('ClientAppUsed') ?? parseUserAgentProduct(userAgent),
    context: {
      errorCode: code,
      sessionId: row.text('SessionId'),
      correlationId: row.text('CorrelationId'),
      userAgent,
      deviceOs: row.text('OSPlatform'),
      location: readLocation(row),
      signIn: readCircumstances(row),
      targets: resource.id === null && resource.name === null ? [] : [{ ...resource, type: 'application' }],
    },
  };
}

function readUser(row: RowReader): Actor {
  const id = row.text('AccountObjectId', 'AccountUpn');
  const name = row.text('AccountUpn', 'AccountDisplayName');
  return { id, name, type: readUserType(row, name ?? id) };
}

function readUserType(row: RowReader, name: string | null): ActorType {
  if (row.flag('IsExternalUser') === true || row.flag('IsGuestUser') === true) return 'guest';
  return name === null ? 'unknown' : readPersonType(name);
}

function readServicePrincipal(row: RowReader): Actor {
  return {
    id: row.text('ServicePrincipalId', 'ApplicationId'),
    name: row.text('ServicePrincipalName', 'Application'),
    type: 'servicePrincipal',
  };
}

function readApplicationId(row: RowReader): string | null {
  const id = firstGuid(row.columns.ApplicationId);
  if (id !== null) row.markShown('ApplicationId');
  return id;
}

function readCircumstances(row: RowReader): EventSignIn {
  const kinds = toList(row.json('LogonType')).map(toText);
  const kind = kinds[0] ?? toText(row.columns.LogonType);
  const events = row.json('RiskEventTypes');
  return {
    ...noSignIn,
    isInteractive: kind === null ? null : !/nonInteractive|servicePrincipal|managedIdentity/i.test(kind),
    authenticationRequirement: row.text('AuthenticationRequirement'),
    conditionalAccessStatus: row.text('ConditionalAccessStatus'),
    riskLevel: row.text('RiskLevelDuringSignIn', 'RiskLevelAggregated'),
    riskState: row.text('RiskState'),
    riskEventTypes: Array.isArray(events) ? events.flatMap((event) => toText(event) ?? []) : null,
  };
}

/** The numbers of these tables, and the words of the logs of Entra. */
function rateRisk({ columns }: RowReader, name: string): Severity | null {
  return riskLevels.get(toText(columns[name])?.toLowerCase() ?? '') ?? null;
}

const riskLevels = new Map<string, Severity>([
  ['10', 'low'],
  ['50', 'medium'],
  ['100', 'high'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
]);
