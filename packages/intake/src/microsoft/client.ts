import type { Application, Device } from '../activity.ts';
import { firstGuid } from '../field/guid.ts';
import { namedValue } from '../field/named-value.ts';
import { productOf } from '../field/user-agent.ts';
import { booleanOf, firstText, type JsonObject, objectOf, textOf } from '../json/value.ts';

/** With which client application, in the order of how much each member says. */
export function readClientApp(record: JsonObject): string | null {
  const token = clientToken.exec(textOf(record.ClientInfoString) ?? '')?.[1];
  return (
    textOf(token) ??
    firstText(record.ClientProcessName, objectOf(record.CopilotEventData).AppHost, record.AppHost) ??
    productOf(firstText(record.UserAgent, namedValue(record.ExtendedProperties, 'UserAgent')))
  );
}

export function readDevice(record: JsonObject): Device {
  const properties = record.DeviceProperties;
  return {
    id: firstText(namedValue(properties, 'Id'), record.DeviceId, record.MachineId),
    name: firstText(
      namedValue(properties, 'DisplayName'),
      record.DeviceDisplayName,
      record.ClientMachineName,
      objectOf(record.EndpointMetaData).DeviceName,
    ),
    isManaged: booleanOf(record.IsManagedDevice) ?? managedAndCompliant(record),
  };
}

/** «False» proves only that the device is not both; whether it is managed stays unknown. */
function managedAndCompliant(record: JsonObject): true | null {
  return booleanOf(namedValue(record.DeviceProperties, 'IsCompliantAndManaged')) === true ? true : null;
}

export function readApplication(record: JsonObject): Application {
  const context = objectOf(record.AppAccessContext);
  return {
    clientId: firstGuid(context.ClientAppId, record.ApplicationId, record.AppId, record.ClientAppId),
    displayName: firstText(record.ApplicationDisplayName, context.ClientAppName),
  };
}

const clientToken = /(?:^|;)Client=([^;]*)/;
