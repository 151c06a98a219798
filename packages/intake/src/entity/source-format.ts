import { googleFile, googleGroup, googleUser } from './google.ts';
import { graphCopilotPackage, graphRiskyAgent } from './graph/agent.ts';
import {
  graphAgentIdentity,
  graphPermissionGrant,
  graphRiskyServicePrincipal,
  graphRoleAssignment,
  graphServicePrincipal,
} from './graph/app.ts';
import { graphDevice, graphManagedDevice } from './graph/device.ts';
import { graphMessage } from './graph/email.ts';
import { graphDriveItem, graphListItem, graphPermission } from './graph/file.ts';
import { graphGroup } from './graph/group.ts';
import { graphSubscribedSku } from './graph/license.ts';
import { graphDrive, graphSite } from './graph/site.ts';
import { graphRiskyUser, graphUser } from './graph/user.ts';
import { agentsInfo, powerPlatformBot } from './other-agents.ts';
import type { SourceFormat } from './source-object.ts';

interface EntityFormat {
  readonly read: SourceFormat;
  /** Whether the object by itself shows that its entity exists. What only adds to one, such as a grant, is kept until that is shown. */
  readonly states: boolean;
  /** Whether the message's key may give the object to an entity that it does not name: whoever collects agents knows which are one. */
  readonly keyDecides: boolean;
}

/**
 * The providers' objects that become parts of entities. Their order is the precedence of parts, after the platform's own record: of two that
 * know a field, the first is believed.
 */
const sourceFormats = {
  'graph.user': states(graphUser),
  'google.directory.user': states(googleUser),
  'graph.riskyUser': states(graphRiskyUser),
  'graph.copilotPackage': { ...states(graphCopilotPackage), keyDecides: true },
  'graph.agentIdentity': { ...states(graphAgentIdentity), keyDecides: true },
  'powerplatform.bot': { ...states(powerPlatformBot), keyDecides: true },
  'm365d.agentsinfo': { ...states(agentsInfo), keyDecides: true },
  'graph.riskyAgent': { ...states(graphRiskyAgent), keyDecides: true },
  'graph.driveitem': states(graphDriveItem),
  'google.drive.file': states(googleFile),
  'graph.listitem': adds(graphListItem),
  'graph.permission': adds(graphPermission),
  'graph.group': states(graphGroup),
  'google.directory.group': states(googleGroup),
  'graph.site': states(graphSite),
  'graph.drive': adds(graphDrive),
  'graph.serviceprincipal': states(graphServicePrincipal),
  'graph.riskyServicePrincipal': states(graphRiskyServicePrincipal),
  'graph.oauth2permissiongrant': adds(graphPermissionGrant),
  'graph.approleassignment': adds(graphRoleAssignment),
  'graph.device': states(graphDevice),
  'graph.manageddevice': states(graphManagedDevice),
  'graph.message': states(graphMessage),
  'graph.subscribedsku': states(graphSubscribedSku),
} as const satisfies Record<string, EntityFormat>;

export type EntityFormatName = keyof typeof sourceFormats;
export const entityFormats = Object.keys(sourceFormats) as readonly EntityFormatName[];

export function entityFormatNamed(name: EntityFormatName): EntityFormat {
  return sourceFormats[name];
}

function states(read: SourceFormat): EntityFormat {
  return { read, states: true, keyDecides: false };
}

function adds(read: SourceFormat): EntityFormat {
  return { read, states: false, keyDecides: false };
}
