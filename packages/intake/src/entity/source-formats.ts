import { agentsInfo } from './agents-info.ts';
import { googleFile, googleGroup, googleUser } from './google.ts';
import { graphCopilotPackage, graphRiskyAgent } from './graph/agent.ts';
import { graphAgentRegistration } from './graph/agent-registration.ts';
import {
  graphAgentIdentity,
  graphPermissionGrant,
  graphRiskyServicePrincipal,
  graphRoleAssignment,
  graphServicePrincipal,
} from './graph/app.ts';
import { graphDevice, graphManagedDevice } from './graph/device.ts';
import { exchangeMessageTrace, graphMessage } from './graph/email.ts';
import { graphDriveItem, graphListItem, graphPermission } from './graph/file.ts';
import { graphGroup } from './graph/group.ts';
import { graphSubscribedSku } from './graph/license.ts';
import { graphDrive, graphSite } from './graph/site.ts';
import { graphRiskyUser, graphUser } from './graph/user.ts';
import { powerPlatformBot } from './power-platform-bot.ts';
import type { SourceReader } from './source-object.ts';

interface EntityFormat {
  readonly read: SourceReader;
  /**
   * Whether the object proves that its entity exists. Objects that only add to one, such as a grant, are stored until
   * another object proves it.
   */
  readonly provesExistence: boolean;
  /**
   * Whether the message's key decides the entity even where the object names another: collectors of agents know which ids
   * are one agent.
   */
  readonly isKeyedByMessage: boolean;
}

/**
 * The providers' objects that become parts of entities. Their order is the precedence of parts, after the platform's own
 * record: of two that have a field, the first wins.
 */
const sourceFormats = {
  'graph.user': principal(graphUser),
  'google.directory.user': principal(googleUser),
  'graph.riskyUser': principal(graphRiskyUser),
  'graph.copilotPackage': { ...principal(graphCopilotPackage), isKeyedByMessage: true },
  'graph.agentIdentity': { ...principal(graphAgentIdentity), isKeyedByMessage: true },
  'graph.agentRegistration': { ...principal(graphAgentRegistration), isKeyedByMessage: true },
  'powerplatform.bot': { ...principal(powerPlatformBot), isKeyedByMessage: true },
  'm365d.agentsinfo': { ...principal(agentsInfo), isKeyedByMessage: true },
  'graph.riskyAgent': { ...principal(graphRiskyAgent), isKeyedByMessage: true },
  'graph.driveitem': principal(graphDriveItem),
  'google.drive.file': principal(googleFile),
  'graph.listitem': supplement(graphListItem),
  'graph.permission': supplement(graphPermission),
  'graph.group': principal(graphGroup),
  'google.directory.group': principal(googleGroup),
  'graph.site': principal(graphSite),
  'graph.drive': supplement(graphDrive),
  'graph.serviceprincipal': principal(graphServicePrincipal),
  'graph.riskyServicePrincipal': principal(graphRiskyServicePrincipal),
  'graph.oauth2permissiongrant': supplement(graphPermissionGrant),
  'graph.approleassignment': supplement(graphRoleAssignment),
  'graph.device': principal(graphDevice),
  'graph.manageddevice': principal(graphManagedDevice),
  'graph.message': principal(graphMessage),
  'exchange.message-trace': principal(exchangeMessageTrace),
  'graph.subscribedsku': principal(graphSubscribedSku),
} as const satisfies Record<string, EntityFormat>;

export type EntityFormatName = keyof typeof sourceFormats;
export const entityFormats = Object.keys(sourceFormats) as readonly EntityFormatName[];

export function getEntityFormat(name: EntityFormatName): EntityFormat {
  return sourceFormats[name];
}

function principal(read: SourceReader): EntityFormat {
  return { read, provesExistence: true, isKeyedByMessage: false };
}

function supplement(read: SourceReader): EntityFormat {
  return { read, provesExistence: false, isKeyedByMessage: false };
}
