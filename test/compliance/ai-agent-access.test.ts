import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;
const ago = (ms: number) => said.at(nowMs - ms);

/** Agents that are active in no rule's sense, whatever they lack. */
const bystanders = [
  said.agent('draft', { lifecycleStatus: 'draft' }),
  said.agent('blocked', { isBlocked: true }),
  said.agent('undead'),
  said.gone('agent', 'undead'),
];

/** So many active agents, the first of which are so. */
const agents = (count: number, first: number, those: Record<string, unknown>, others: Record<string, unknown> = {}) =>
  many(count, (index) => said.agent(`agent${index}`, index < first ? those : others));

const signIns = (count: number, none: number) => [
  ...bystanders,
  said.agent('unknown', { authentication: 'unknown' }),
  said.agent('silent'),
  ...agents(count, none, { authentication: 'none' }, { authentication: 'entra' }),
];

const open = (count: number, opened: number, approved: number) => [
  ...bystanders,
  said.agent('vendors', { publisherType: 'microsoft', availableTo: 'all' }),
  said.agent('unknown', { availableTo: null }),
  ...agents(count, opened, { availableTo: 'all' }),
  ...many(approved, (index) => said.decision('agent', `agent${index}`, 'approved', nowMs - dayMs)),
  // What was decided last counts.
  said.decision('agent', `agent${approved}`, 'approved', nowMs - 9 * dayMs, {}, 'first'),
  said.decision('agent', `agent${approved}`, 'reviewed', nowMs - dayMs),
];

/** Each agent may read; the first may write everywhere, half of them by what they inherit. */
const powers = (count: number, powerful: number, approved: number) => [
  ...bystanders,
  said.grant('of-blocked', 'blocked', { tenantWide: true, writeAccess: true }),
  ...agents(count, 0, {}),
  ...many(count, (index) => said.grant(`read${index}`, `agent${index}`, { tenantWide: true })),
  ...many(count, (index) => said.grant(`write${index}`, `agent${index}`, { value: 'Files.ReadWrite' })),
  ...many(count, (index) =>
    said.grant(`said${index}`, `agent${index}`, { source: 'declared', tenantWide: true, writeAccess: true }),
  ),
  ...many(powerful, (index) =>
    said.grant(`all${index}`, `AGENT${index}`, {
      tenantWide: true,
      writeAccess: true,
      source: index % 2 ? 'direct' : 'inherited',
    }),
  ),
  ...many(approved, (index) => said.decision('agent', `agent${index}`, 'accepted', nowMs)),
];

const clientId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Tenant-wide grants: the first are consented to, by what the grant says, by who assigned the role, or by an event of the log. */
const wideGrants = (count: number, consented: number) => [
  ...bystanders,
  ...many(count, (index) => said.agent(`agent${index}`, { appId: clientId(index) })),
  ...many(count, (index) => {
    const isRole = index % 3 > 0;
    const told = index < consented && index % 3 === 0 ? { adminConsented: true } : {};
    const assigned = index < consented && index % 3 === 1 ? { consentedBy: { userId: 'admin', name: 'Admin' } } : {};
    const kind = { permissionKind: isRole ? 'application' : 'delegated', tenantWide: isRole ? undefined : true };
    return said.grant(`grant${index}`, `agent${index}`, { ...kind, ...told, ...assigned });
  }),
  ...many(count, (index) => said.grant(`narrow${index}`, `agent${index}`)),
  ...many(count, (index) => {
    const scope = index < consented ? (index % 2 ? 'Files.Read offline_access' : null) : 'User.Read';
    return index % 3 === 2
      ? happened.adminConsent(clientId(index), nowMs - dayMs, true, scope)
      : happened.adminConsent(clientId(index), nowMs - dayMs, false);
  }),
];

const shelf = { lifecycleStatus: 'published', availableTo: 'all', deployedTo: 'none' };
const shelved = (count: number, unreviewed: number) => [
  said.agent('deployed', { availableTo: 'all', deployedTo: 'some' }),
  said.agent('closed', { ...shelf, availableTo: 'none' }),
  said.agent('blocked', { ...shelf, isBlocked: true }),
  ...many(count, (index) => said.agent(`agent${index}`, { ...shelf, appId: clientId(index) })),
  ...many(count - unreviewed, (index) =>
    said.decision('agent', index % 2 ? `agent${index}` : clientId(index), 'reviewed', nowMs - dayMs),
  ),
  ...many(unreviewed, (index) => said.decision('app', `agent${count - 1 - index}`, 'approved', nowMs - dayMs)),
];

/** Agents of others; the last ones nobody vouches for, and some are merely said not to be verified. */
const external = (count: number, trusted: number) => [
  ...bystanders,
  said.agent('own'),
  said.agent('foreign', { publisherType: 'external', lifecycleStatus: 'draft' }),
  ...many(count, (index) =>
    said.agent(`agent${index}`, {
      publisherType: 'external',
      appId: clientId(index),
      isPublisherVerified: index >= trusted ? (index % 2 ? false : null) : index % 3 === 0,
    }),
  ),
  ...many(count, (index) =>
    said.app(`app${index}`, { appId: clientId(index), isVerifiedPublisher: index < trusted && index % 3 === 1 }),
  ),
  ...many(count, (index) =>
    said.decision('agent', `agent${index}`, index < trusted && index % 3 === 2 ? 'approved' : 'restricted', nowMs),
  ),
];

const risk = (id: string, ageMs: number | null, more: object = {}) =>
  said.agent(id, {
    riskLevel: 'high',
    riskState: 'atRisk',
    riskUpdatedAt: ageMs === null ? null : ago(ageMs),
    ...more,
  });
const handledRisks = [
  risk('fresh', 72 * hourMs),
  risk('dismissed', 500 * hourMs, { riskState: 'dismissed' }),
  risk('medium', 500 * hourMs, { riskLevel: 'medium' }),
  risk('stopped', 500 * hourMs, { isBlocked: true }),
  risk('removed', 500 * hourMs),
  happened.action('removal', 'removeAgent', { type: 'agent', id: 'removed' }, nowMs - 400 * hourMs),
  happened.action('rehearsal', 'blockAgent', { type: 'agent', id: 'late' }, nowMs, { isSimulated: true }),
];

testOutcomes(prefixesOf.agentAccess, {
  'ai.agents.authentication_required': {
    met: { told: signIns(2, 0), counts: { agentsPublished: 2, authenticated: 2, authenticatedPct: 100 } },
    at_risk: { told: signIns(20, 1), counts: { agentsPublished: 20, authenticated: 19, authenticatedPct: 95 } },
    not_met: { told: signIns(10, 1), counts: { agentsPublished: 10, authenticated: 9 } },
    empty: { told: signIns(0, 0), counts: { agentsPublished: 0 } },
  },
  'ai.agents.scoped_availability': {
    met: { told: open(20, 4, 3), counts: { agentsActive: 20, openToAll: 4, openApproved: 3, openUnapprovedPct: 5 } },
    at_risk: { told: open(5, 1, 0), counts: { agentsActive: 5, openToAll: 1, openApproved: 0, openUnapprovedPct: 20 } },
    not_met: { told: open(4, 1, 0), counts: { agentsActive: 4, openToAll: 1 } },
    empty: { told: bystanders, counts: { agentsActive: 0 } },
    untold: { told: [...bystanders, said.agent('unknown', { availableTo: null })], counts: { agentsActive: null } },
  },
  'ai.agents.least_privilege': {
    met: { told: powers(3, 1, 1), counts: { agentsActive: 3, tenantWideWrite: 1, approved: 1, tenantWideWritePct: 0 } },
    at_risk: {
      told: powers(50, 2, 1),
      counts: { agentsActive: 50, tenantWideWrite: 2, approved: 1, tenantWideWritePct: 2 },
    },
    not_met: [
      { told: powers(40, 1, 0), counts: { agentsActive: 40, tenantWideWrite: 1, tenantWideWritePct: 2.5 } },
      {
        told: [said.agent('summed', { hasTenantWideReach: true, hasWriteAccess: true })],
        counts: { agentsActive: 1, tenantWideWrite: 1 },
      },
    ],
    empty: { told: bystanders, counts: { agentsActive: 0 } },
    untold: { told: [said.agent('unknown')], counts: { agentsActive: null } },
  },
  'ai.agents.consent_recorded': {
    met: { told: wideGrants(3, 3), counts: { tenantWideGrants: 3, withConsentEvent: 3, consentPct: 100 } },
    at_risk: { told: wideGrants(20, 19), counts: { tenantWideGrants: 20, withConsentEvent: 19, consentPct: 95 } },
    not_met: { told: wideGrants(3, 2), counts: { tenantWideGrants: 3, withConsentEvent: 2 } },
    empty: {
      told: [
        ...bystanders,
        said.agent('small'),
        said.grant('narrow', 'small'),
        said.grant('of-blocked', 'blocked', { tenantWide: true }),
      ],
      counts: { tenantWideGrants: 0 },
    },
  },
  'ai.agents.store_shelf': {
    met: { told: shelved(3, 0), counts: { shelfAgents: 3, unreviewed: 0 } },
    at_risk: { told: shelved(10, 10), counts: { shelfAgents: 10, unreviewed: 10 } },
    not_met: { told: shelved(12, 11), counts: { shelfAgents: 12, unreviewed: 11 } },
    empty: { told: shelved(0, 0), counts: { shelfAgents: 0 } },
  },
  'ai.agents.verified_publisher': {
    met: { told: external(20, 19), counts: { externalAgents: 20, verifiedOrApproved: 19 } },
    at_risk: { told: external(5, 4), counts: { externalAgents: 5, verifiedOrApproved: 4 } },
    not_met: { told: external(4, 3), counts: { externalAgents: 4, verifiedOrApproved: 3 } },
    empty: { told: external(0, 0), counts: { externalAgents: 0 } },
  },
  'ai.agents.risky_agents_handled': {
    met: { told: handledRisks, counts: { riskyAgents: 3, overdue: 0 } },
    at_risk: { told: [...handledRisks, risk('late', 72 * hourMs + 1)], counts: { riskyAgents: 4, overdue: 1 } },
    not_met: {
      told: [...handledRisks, risk('late', 72 * hourMs + 1), risk('undated', null, { riskState: null })],
      counts: { riskyAgents: 5, overdue: 2 },
    },
    empty: { told: [said.agent('calm')], counts: { riskyAgents: 0 } },
  },
});
