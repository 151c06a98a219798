import type { Application, Device } from '../activity/activity.ts';
import { firstGuid, firstId } from '../field/guid.ts';
import { findNamedValue } from '../field/named-value.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, type JsonObject, toBoolean, toObject, toText } from '../json/value.ts';

/** The client application, from the most specific member first. */
export function readClientApp(record: JsonObject): string | null {
  const token = clientToken.exec(toText(record.ClientInfoString) ?? '')?.[1];
  return (
    toText(token) ??
    firstText(record.ClientProcessName, toObject(record.CopilotEventData).AppHost, record.AppHost) ??
    parseUserAgentProduct(firstText(record.UserAgent, findNamedValue(record.ExtendedProperties, 'UserAgent'))) ??
    // Of events of sensitivity labels.
    firstText(toObject(record.Common).ApplicationName, record.Application)
  );
}

export function readDevice(record: JsonObject): Device {
  const properties = record.DeviceProperties;
  return {
    id: firstId(findNamedValue(properties, 'Id'), record.DeviceId, record.MachineId),
    name: firstText(
      findNamedValue(properties, 'DisplayName'),
      record.DeviceDisplayName,
      record.ClientMachineName,
      toObject(record.EndpointMetaData).DeviceName,
      record.DeviceName,
      toObject(record.Common).DeviceName,
    ),
    isManaged: toBoolean(record.IsManagedDevice) ?? managedAndCompliant(record),
  };
}

/** "False" proves only that the device is not both; whether it is managed is unknown. */
function managedAndCompliant(record: JsonObject): true | null {
  return toBoolean(findNamedValue(record.DeviceProperties, 'IsCompliantAndManaged')) === true ? true : null;
}

export function readApplication(record: JsonObject): Application {
  const context = toObject(record.AppAccessContext);
  return {
    clientId: firstGuid(context.ClientAppId, record.ApplicationId, record.AppId, record.ClientAppId),
    displayName: firstText(record.ApplicationDisplayName, context.ClientAppName),
  };
}

const clientToken = /(?:^|;)Client=([^;]*)/;
