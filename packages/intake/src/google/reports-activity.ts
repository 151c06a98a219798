import type { Activity, Device } from '../activity/activity.ts';
import type { ActivityFormat } from '../activity/activity-format.ts';
import { toOutcome } from '../field/action-result.ts';
import { firstAddress } from '../field/address.ts';
import { toPascalCase } from '../field/case.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, type Json, type JsonObject, toObject, toText } from '../json/value.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { readGoogleActor } from './actor.ts';
import { readGoogleContext, readUserAgent } from './context.ts';
import { splitEvents } from './events.ts';
import { readGoogleResource } from './objects.ts';
import { readGoogleResult } from './outcome.ts';
import { type Parameters, readParameters } from './parameters.ts';
import { readGoogleVerdict } from './threat.ts';

/** Activities of the Google Workspace Reports API: one envelope, and one row for each of its events. */
export const googleReportsActivity: ActivityFormat = {
  family: 'googleWorkspace',
  shape: sourceShapes['google.reports.activity'],
  unwrap: splitEvents,
  normalise,
};

/** @param record an envelope whose `events` is the one event at `index` */
function normalise(record: JsonObject, index: number): Activity {
  const id = toObject(record.id);
  const event = toObject(record.events);
  const application = firstText(id.applicationName);
  const parameters = readParameters(event.parameters);
  const action = firstText(event.name);
  const actor = readGoogleActor(toObject(record.actor), parameters, record.ownerDomain);
  const result = readGoogleResult(action, event, parameters);
  const verdict = readGoogleVerdict(action, application, parameters);
  return {
    time: id.time,
    timeMember: 'id.time',
    action,
    verdict: verdict.severity,
    outcome: toOutcome(result.result),
    actor,
    // Of participants of Google Meet the address is a parameter.
    actorIp: firstAddress(record.ipAddress, parameters.text('ip_address'), parameters.text('actor_ip_address')),
    resource: readGoogleResource(parameters),
    workload: application === null ? 'Google' : `Google${toPascalCase(application)}`,
    sourceType: 'googleWorkspace',
    sourceName: application,
    clientApp: readClient(parameters),
    device: readDevice(parameters),
    application: {
      clientId: null,
      displayName: parameters.text('app_name') ?? parameters.text('application_name'),
    },
    externalEventId: toExternalId(id.time, id.uniqueQualifier, index),
    recordType: null,
    context: readGoogleContext(record, parameters, result, verdict),
  };
}

/** Google numbers an envelope, not its events. */
function toExternalId(time: Json | undefined, qualifier: Json | undefined, index: number): string | null {
  const parts = [toText(time), toText(qualifier)];
  return parts.includes(null) ? null : `${parts.join('/')}/${index}`;
}

function readClient(parameters: Parameters): string | null {
  return parameters.text('client_type') ?? parseUserAgentProduct(readUserAgent(parameters));
}

function readDevice(parameters: Parameters): Device {
  const text = (...names: readonly string[]) => firstText(...names.map((name) => parameters.text(name)));
  return {
    id: text('DEVICE_ID', 'CAA_DEVICE_ID', 'device_id'),
    name: text('DEVICE_NAME', 'DEVICE_MODEL', 'device_name'),
    isManaged: null,
  };
}
