import * as input from '../input-records.ts';
import { both, type Chooser, count, type Part, type Sent, send } from './part.ts';

const { dayMs } = input;

interface Agent {
  readonly index: number;
  readonly id: string;
  readonly appId: string;
  readonly hasTenantWideReach: boolean | undefined;
  readonly hasWriteAccess: boolean | undefined;
}

export const createGrants = (choose: Chooser, { index, id, appId }: Agent) =>
  choose.several([0, 0, 1, 2], (number) => ({
    agentIndex: index,
    recordId: `g${index}-${number}`,
    agentName: choose.inAnyCase(choose.pick([id, appId])),
    tenantWide: choose.maybe(),
    writeAccess: choose.maybe(),
    consentType: choose.pick([undefined, 'allPrincipals', 'principal']),
    permissionKind: choose.pick([undefined, 'delegated', 'application']),
    // What a manifest declares is not granted yet.
    source: choose.pick(['direct', 'inherited', 'declared']),
    adminConsented: choose.maybe(),
    isTraced: choose.happens(50),
    value: choose.pick(['Files.Read', 'Mail.Send', 'Files.ReadWrite']),
    isDeleted: choose.happens(10),
  }));
export type AgentGrant = ReturnType<typeof createGrants>[number];

export const sendGrants = (choose: Chooser, grants: readonly AgentGrant[]): Sent[] =>
  grants.flatMap(({ agentIndex: _, recordId, agentName, isTraced, isDeleted, ...members }) => {
    const consentedBy = isTraced ? { id: 'chief' } : undefined;
    const record = input.grant(recordId, agentName, { ...members, consentedBy });
    const deletion = { ...record, deleted: true } as input.InputRecord;
    return [...send(100 * dayMs, record), ...(isDeleted ? send(choose.pick([90, 1]) * dayMs, deletion) : [])];
  });

const isGranted = (one: AgentGrant) => !one.isDeleted && one.source !== 'declared';
const writes = (one: AgentGrant) => one.writeAccess ?? one.value !== 'Files.Read';

/** Consent for all users, or a permission of the application itself, reaches the whole tenant. */
function isWide(one: AgentGrant): boolean | null {
  if (one.tenantWide !== undefined) return one.tenantWide;
  if (one.consentType === 'allPrincipals' || one.permissionKind === 'application') return true;
  return one.consentType === undefined || one.permissionKind === undefined ? null : false;
}

/** Of an agent without grants, as its record has it. Null where that is unknown. */
export function hasWideWriteAccess(agent: Agent, grants: readonly AgentGrant[]): boolean | null {
  const own = grants.filter((one) => one.agentIndex === agent.index && isGranted(one));
  if (own.length === 0) return both(agent.hasTenantWideReach, agent.hasWriteAccess);
  const found = own.map((one) => both(isWide(one), writes(one)));
  if (found.includes(true)) return true;
  return found.includes(null) ? null : false;
}

interface Consent {
  readonly appId: string;
  /** Permissions by name; null for all. */
  readonly scope: string | null;
  readonly isAdmin: boolean;
}

/** Of the agents that are or may be active. */
export function recountConsents(
  agents: readonly (Agent & { readonly isActive: boolean })[],
  grants: readonly AgentGrant[],
  consents: readonly Consent[],
): Part['counts'] {
  const agentOf = (one: AgentGrant) => agents.find(({ index }) => index === one.agentIndex);
  const wide = grants.filter((one) => isGranted(one) && agentOf(one) !== undefined && isWide(one) !== false);
  const isUnknown = (one: AgentGrant) => isWide(one) === null || !agentOf(one)?.isActive;
  const hasConsent = (one: AgentGrant) => {
    // An application role is traced to the administrator who assigned it.
    if (
      one.permissionKind === 'application'
        ? one.isTraced
        : one.adminConsented === true || one.consentType === 'allPrincipals'
    )
      return true;
    return consents.some(
      ({ appId, scope, isAdmin }) =>
        isAdmin && appId === agentOf(one)?.appId && (scope === null || scope.split(' ').includes(one.value)),
    );
  };
  return {
    'ai.agents.consent_recorded': {
      tenantWideGrants: wide.length,
      withConsentEvent: count(wide, (one) => !isUnknown(one) && hasConsent(one)),
      unknown: count(wide, isUnknown),
    },
  };
}
