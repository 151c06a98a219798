import type { Activity } from '../activity/activity.ts';
import type { ActivityFormat } from '../activity/activity-format.ts';
import { noContext } from '../activity/event-context.ts';
import { type ActionResult, toOutcome } from '../field/action-result.ts';
import { firstAddress } from '../field/address.ts';
import { toPascalCase } from '../field/case.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, type Json, type JsonObject, toObject, toText } from '../json/value.ts';
import { splitRecords } from '../message/split-records.ts';
import { rateSeverity } from '../severity/severity.ts';
import { readGoogleActor } from './actor.ts';
import { splitEvents } from './events.ts';
import { type Parameters, readParameters } from './parameters.ts';
import { readGoogleResource } from './resource.ts';

/** Activities of the Google Workspace Reports API: one envelope, and one row for each of its events. */
export const googleReportsActivity: ActivityFormat = {
  family: 'googleWorkspace',
  split: (parsed) => splitRecords(parsed, { list: 'items', recordMember: 'id' }, splitEvents),
  normalise,
};

/** @param record an envelope whose `events` is the one event at `index` */
function normalise(record: JsonObject, index: number): Activity {
  const id = toObject(record.id);
  const event = toObject(record.events);
  const application = firstText(id.applicationName);
  const parameters = readParameters(event.parameters);
  const action = firstText(event.name);
  const actor = readGoogleActor(toObject(record.actor));
  const result = action === null ? null : (results.get(action) ?? null);
  return {
    time: id.time,
    timeMember: 'id.time',
    action,
    severity: rateSeverity({ action, record: event, actorType: actor.type, result, upstream: null }),
    outcome: toOutcome(result),
    actor,
    actorIp: firstAddress(record.ipAddress),
    resource: readGoogleResource(parameters),
    workload: application === null ? 'Google' : `Google${toPascalCase(application)}`,
    sourceType: 'googleWorkspace',
    sourceName: application,
    clientApp: readClient(parameters),
    device: { id: parameters.text('DEVICE_ID'), name: parameters.text('DEVICE_MODEL'), isManaged: null },
    application: { clientId: null, displayName: parameters.text('app_name') },
    externalEventId: toExternalId(id.time, id.uniqueQualifier, index),
    recordType: null,
    context: noContext,
  };
}

/** Google numbers an envelope, not its events. */
function toExternalId(time: Json | undefined, qualifier: Json | undefined, index: number): string | null {
  const parts = [toText(time), toText(qualifier)];
  return parts.includes(null) ? null : `${parts.join('/')}/${index}`;
}

function readClient(parameters: Parameters): string | null {
  return parameters.text('client_type') ?? parseUserAgentProduct(parameters.text('user_agent'));
}

const results = new Map<string, ActionResult>([
  ['login_success', 'success'],
  ['login_failure', 'failure'],
]);
