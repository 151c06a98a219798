import type { Agent } from '../company.ts';
import { firstParty } from '../records/first-party.ts';

export interface AgentPermission {
  readonly value: string;
  readonly kind: 'delegated' | 'application' | 'resourceSpecific' | 'connector';
  /** Given to the agent, had from its blueprint, or only asked for in its package. */
  readonly source: 'direct' | 'inherited' | 'declared';
  readonly resource: string;
  readonly resourceId: string | null;
  readonly adminConsented: boolean;
  readonly tenantWide: boolean;
  readonly write: boolean;
}

export function listAgentPermissions({ marks, platform }: Agent): AgentPermission[] {
  const kind = platform === 'foundry' ? 'application' : 'delegated';
  const graph = (value: string, rest: Partial<AgentPermission> = {}): AgentPermission => ({
    value,
    kind,
    source: 'declared',
    resource: firstParty.graph.name,
    resourceId: firstParty.graph.id,
    adminConsented: false,
    tenantWide: false,
    write: false,
    ...rest,
  });
  const wide = { source: 'direct', adminConsented: true, tenantWide: true } as const;
  const connector = { kind: 'connector', source: 'direct', resource: 'Power Platform', resourceId: null } as const;
  return [
    graph('User.Read'),
    ...(marks.includes('wide')
      ? [graph('Sites.Read.All', wide), graph('Mail.Send', { ...wide, write: true })]
      : [graph('Files.Read')]),
    ...(platform === 'foundry'
      ? [graph('Sites.Selected', { source: 'inherited', adminConsented: true, write: true })]
      : []),
    ...(platform === 'copilotStudio' ? [graph('shared_sharepointonline', connector)] : []),
    ...(platform === 'teams'
      ? [graph('ChannelMessage.Read.Group', { kind: 'resourceSpecific', source: 'direct' })]
      : []),
  ];
}
