import type { Activity } from '../activity.ts';
import { firstAddress } from '../field/address.ts';
import { pascalCase } from '../field/case.ts';
import { type Ending, outcomeOf } from '../field/ending.ts';
import { productOf } from '../field/user-agent.ts';
import type { Format } from '../format.ts';
import { firstText, type Json, type JsonObject, objectOf, textOf } from '../json/value.ts';
import { severityOf } from '../severity/severity.ts';
import { splitRecords } from '../split.ts';
import { readGoogleActor } from './actor.ts';
import { explodeEvents } from './events.ts';
import { type Parameters, readParameters } from './parameters.ts';
import { readGoogleResource } from './resource.ts';

/** Activities of the Google Workspace Reports API: one envelope, and one row for each of its events. */
export const googleReportsActivity: Format = {
  family: 'googleWorkspace',
  split: (reading) => splitRecords(reading, { list: 'items', unless: 'id' }, explodeEvents),
  normalise,
};

/** @param record an envelope whose `events` is the one event at `index` */
function normalise(record: JsonObject, index: number): Activity {
  const id = objectOf(record.id);
  const event = objectOf(record.events);
  const application = firstText(id.applicationName);
  const parameters = readParameters(event.parameters);
  const action = firstText(event.name);
  const actor = readGoogleActor(objectOf(record.actor));
  const ending = action === null ? null : (endings.get(action) ?? null);
  return {
    time: id.time,
    timeMember: 'id.time',
    action,
    severity: severityOf({ action, record: event, actorType: actor.type, ending, upstream: null }),
    outcome: outcomeOf(ending),
    actor,
    actorIp: firstAddress(record.ipAddress),
    resource: readGoogleResource(parameters),
    workload: application === null ? 'Google' : `Google${pascalCase(application)}`,
    sourceType: 'googleWorkspace',
    sourceName: application,
    clientApp: clientOf(parameters),
    device: { id: parameters.text('DEVICE_ID'), name: parameters.text('DEVICE_MODEL'), isManaged: null },
    application: { clientId: null, displayName: parameters.text('app_name') },
    externalEventId: externalIdOf(id.time, id.uniqueQualifier, index),
    recordType: null,
  };
}

/** Google numbers an envelope, not its events. */
function externalIdOf(time: Json | undefined, qualifier: Json | undefined, index: number): string | null {
  const parts = [textOf(time), textOf(qualifier)];
  return parts.includes(null) ? null : `${parts.join('/')}/${index}`;
}

function clientOf(parameters: Parameters): string | null {
  return parameters.text('client_type') ?? productOf(parameters.text('user_agent'));
}

const endings = new Map<string, Ending>([
  ['login_success', 'success'],
  ['login_failure', 'failure'],
]);
