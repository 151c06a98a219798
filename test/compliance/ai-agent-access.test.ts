import * as events from './events.ts';
import * as input from './input-records.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;
const ago = (ms: number) => input.at(nowMs - ms);

/** Agents that no rule counts as active, whatever they lack. */
const uncounted = [
  input.agent('draft', { lifecycleStatus: 'draft' }),
  input.agent('blocked', { isBlocked: true }),
  input.agent('undead'),
  input.deletedEntity('agent', 'undead'),
];

/** Active agents; the first ones have the given properties. */
const agents = (count: number, first: number, those: Record<string, unknown>, others: Record<string, unknown> = {}) =>
  many(count, (index) => input.agent(`agent${index}`, index < first ? those : others));

const signIns = (count: number, unauthenticated: number) => [
  ...uncounted,
  ...agents(count, unauthenticated, { authentication: 'none' }, { authentication: 'entra' }),
];

const open = (count: number, opened: number, approved: number) => [
  ...uncounted,
  input.agent('vendors', { publisherType: 'microsoft', availableTo: 'all' }),
  ...agents(count, opened, { availableTo: 'all' }),
  ...many(approved, (index) => input.decision('agent', `agent${index}`, 'approved', nowMs - dayMs)),
  // The latest decision counts; a review decides nothing.
  input.decision('agent', `agent${approved}`, 'approved', nowMs - 9 * dayMs, {}, 'first'),
  input.decision('agent', `agent${approved}`, 'restricted', nowMs - dayMs),
  ...many(approved, (index) => input.decision('agent', `agent${index}`, 'reviewed', nowMs, {}, `review${index}`)),
];

/** Each agent may read; the first ones may write everywhere, half of them by inheritance. */
const powers = (count: number, powerful: number, approved: number) => [
  ...uncounted,
  input.grant('of-blocked', 'blocked', { tenantWide: true, writeAccess: true }),
  ...agents(count, 0, {}),
  ...many(count, (index) => input.grant(`read${index}`, `agent${index}`, { tenantWide: true })),
  ...many(count, (index) => input.grant(`write${index}`, `agent${index}`, { value: 'Files.ReadWrite' })),
  ...many(count, (index) =>
    input.grant(`declared${index}`, `agent${index}`, { source: 'declared', tenantWide: true, writeAccess: true }),
  ),
  ...many(powerful, (index) =>
    input.grant(`all${index}`, `AGENT${index}`, {
      tenantWide: true,
      writeAccess: true,
      source: index % 2 ? 'direct' : 'inherited',
    }),
  ),
  ...many(approved, (index) => input.decision('agent', `agent${index}`, 'accepted', nowMs)),
];

const clientId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Tenant-wide grants; the first ones have consent, by the grant itself, by the assigner of the role or by a log event. */
const wideGrants = (count: number, consented: number) => [
  ...uncounted,
  ...many(count, (index) => input.agent(`agent${index}`, { appId: clientId(index) })),
  ...many(count, (index) => {
    const isRole = index % 3 > 0;
    const facts = index < consented && index % 3 === 0 ? { adminConsented: true } : {};
    const assigned = index < consented && index % 3 === 1 ? { consentedBy: { userId: 'admin', name: 'Admin' } } : {};
    const kind = { permissionKind: isRole ? 'application' : 'delegated', tenantWide: isRole ? undefined : true };
    return input.grant(`grant${index}`, `agent${index}`, { ...kind, ...facts, ...assigned });
  }),
  ...many(count, (index) => input.grant(`narrow${index}`, `agent${index}`)),
  ...many(count, (index) => {
    const scope = index < consented ? (index % 2 ? 'Files.Read offline_access' : null) : 'User.Read';
    return index % 3 === 2
      ? events.adminConsent(clientId(index), nowMs - dayMs, true, scope)
      : events.adminConsent(clientId(index), nowMs - dayMs, false);
  }),
];

const shelf = { lifecycleStatus: 'published', availableTo: 'all', deployedTo: 'none' };
const shelved = (count: number, unreviewed: number) => [
  input.agent('deployed', { availableTo: 'all', deployedTo: 'some' }),
  input.agent('closed', { ...shelf, availableTo: 'none' }),
  input.agent('blocked', { ...shelf, isBlocked: true }),
  ...many(count, (index) => input.agent(`agent${index}`, { ...shelf, appId: clientId(index) })),
  ...many(count - unreviewed, (index) =>
    input.decision('agent', index % 2 ? `agent${index}` : clientId(index), 'reviewed', nowMs - dayMs),
  ),
  ...many(unreviewed, (index) => input.decision('app', `agent${count - 1 - index}`, 'approved', nowMs - dayMs)),
];

/** Third-party agents; the last ones have no verification, and some are explicitly not verified. */
const external = (count: number, trusted: number) => [
  ...uncounted,
  input.agent('own'),
  input.agent('foreign', { publisherType: 'external', lifecycleStatus: 'draft' }),
  ...many(count, (index) =>
    input.agent(`agent${index}`, {
      publisherType: 'external',
      appId: clientId(index),
      isPublisherVerified: index >= trusted ? false : index % 3 === 0,
    }),
  ),
  ...many(count, (index) =>
    input.app(`app${index}`, { appId: clientId(index), isVerifiedPublisher: index < trusted && index % 3 === 1 }),
  ),
  ...many(count, (index) =>
    input.decision('agent', `agent${index}`, index < trusted && index % 3 === 2 ? 'approved' : 'restricted', nowMs),
  ),
];

const risk = (id: string, ageMs: number | null, more: object = {}) =>
  input.agent(id, {
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
  events.action('removal', 'removeAgent', { type: 'agent', id: 'removed' }, nowMs - 400 * hourMs),
  events.action('rehearsal', 'blockAgent', { type: 'agent', id: 'late' }, nowMs, { isSimulated: true }),
];

testOutcomes(requirementPrefixes.agentAccess, {
  'ai.agents.authentication_required': {
    met: { records: signIns(2, 0), counts: { agentsPublished: 2, authenticated: 2, authenticatedPct: 100 } },
    at_risk: { records: signIns(20, 1), counts: { agentsPublished: 20, authenticated: 19, authenticatedPct: 95 } },
    not_met: { records: signIns(10, 1), counts: { agentsPublished: 10, authenticated: 9 } },
    empty: { records: signIns(0, 0), counts: { agentsPublished: 0 } },
    unknown: {
      records: [
        ...signIns(20, 0),
        input.agent('silent'),
        input.agent('unknown', { authentication: 'unknown' }),
        input.agent('stateless', { authentication: 'entra', lifecycleStatus: null }),
      ],
      counts: { agentsPublished: 23, authenticated: 20, unknown: 3 },
    },
    half: {
      records: [...signIns(1, 0), ...many(19, (index) => input.agent(`silent${index}`))],
      counts: { agentsPublished: 20, authenticated: 1, unknown: 19 },
    },
  },
  'ai.agents.scoped_availability': {
    met: { records: open(20, 4, 3), counts: { agentsActive: 20, openToAll: 4, openApproved: 3, openUnapprovedPct: 5 } },
    at_risk: {
      records: open(5, 1, 0),
      counts: { agentsActive: 5, openToAll: 1, openApproved: 0, openUnapprovedPct: 20 },
    },
    not_met: { records: open(4, 1, 0), counts: { agentsActive: 4, openToAll: 1 } },
    empty: { records: uncounted, counts: { agentsActive: 0 } },
    unknown: {
      records: [...open(20, 0, 0), ...many(2, (index) => input.agent(`unknown${index}`, { availableTo: null }))],
      counts: { agentsActive: 22, openToAll: 2, openApproved: 0, unknown: 2 },
    },
    half: {
      records: [...open(1, 0, 0), ...many(19, (index) => input.agent(`unknown${index}`, { availableTo: null }))],
      counts: { agentsActive: 20, openToAll: 19, openApproved: 0, unknown: 19 },
    },
  },
  'ai.agents.least_privilege': {
    met: {
      records: powers(3, 1, 1),
      counts: { agentsActive: 3, tenantWideWrite: 1, approved: 1, tenantWideWritePct: 0 },
    },
    at_risk: {
      records: powers(50, 2, 1),
      counts: { agentsActive: 50, tenantWideWrite: 2, approved: 1, tenantWideWritePct: 2 },
    },
    not_met: [
      { records: powers(40, 1, 0), counts: { agentsActive: 40, tenantWideWrite: 1, tenantWideWritePct: 2.5 } },
      {
        records: [input.agent('summed', { hasTenantWideReach: true, hasWriteAccess: true })],
        counts: { agentsActive: 1, tenantWideWrite: 1 },
      },
    ],
    empty: { records: uncounted, counts: { agentsActive: 0 } },
    half: { records: [input.agent('unknown')], counts: { agentsActive: 1, tenantWideWrite: 1, unknown: 1 } },
  },
  'ai.agents.consent_recorded': {
    met: { records: wideGrants(3, 3), counts: { tenantWideGrants: 3, withConsentEvent: 3, consentPct: 100 } },
    at_risk: { records: wideGrants(20, 19), counts: { tenantWideGrants: 20, withConsentEvent: 19, consentPct: 95 } },
    not_met: { records: wideGrants(3, 2), counts: { tenantWideGrants: 3, withConsentEvent: 2 } },
    empty: {
      records: [
        ...uncounted,
        input.agent('small'),
        input.grant('narrow', 'small'),
        input.grant('of-blocked', 'blocked', { tenantWide: true }),
      ],
      counts: { tenantWideGrants: 0 },
    },
  },
  'ai.agents.store_shelf': {
    met: { records: shelved(3, 0), counts: { shelfAgents: 3, unreviewed: 0 } },
    at_risk: { records: shelved(10, 10), counts: { shelfAgents: 10, unreviewed: 10 } },
    not_met: { records: shelved(12, 11), counts: { shelfAgents: 12, unreviewed: 11 } },
    empty: { records: shelved(0, 0), counts: { shelfAgents: 0 } },
  },
  'ai.agents.verified_publisher': {
    met: { records: external(20, 19), counts: { externalAgents: 20, verifiedOrApproved: 19 } },
    at_risk: { records: external(5, 4), counts: { externalAgents: 5, verifiedOrApproved: 4 } },
    not_met: { records: external(4, 3), counts: { externalAgents: 4, verifiedOrApproved: 3 } },
    empty: { records: external(0, 0), counts: { externalAgents: 0 } },
  },
  'ai.agents.risky_agents_handled': {
    met: [
      { records: handledRisks, counts: { riskyAgents: 3, overdue: 0 } },
      // Stopped since the risk began, and detected again or without a reported time.
      ...[2, null].map((hours) => ({
        records: [
          ingestedAt(nowMs - 90 * hourMs, risk('late', 90 * hourMs)),
          ingestedAt(
            nowMs,
            hours === null ? risk('late', 0, { riskUpdatedAt: null }) : risk('late', hours * hourMs),
            events.action('block', 'blockAgent', { type: 'agent', id: 'late' }, nowMs - 80 * hourMs),
          ),
        ],
        counts: { riskyAgents: 1, overdue: 0 },
      })),
      // The action names it by its identity.
      {
        records: [
          risk('late', 90 * hourMs, { agentIdentityId: clientId(1) }),
          events.action('block', 'blockAgent', { type: 'agent', id: clientId(1) }, nowMs - 80 * hourMs),
        ],
        counts: { riskyAgents: 1, overdue: 0 },
      },
    ],
    at_risk: [
      { records: [...handledRisks, risk('late', 72 * hourMs + 1)], counts: { riskyAgents: 4, overdue: 1 } },
      // A later detection changes the reported time, and the risk goes on.
      {
        records: [90, 40, 2].map((hours) => ingestedAt(nowMs - hours * hourMs, risk('late', hours * hourMs))),
        counts: { riskyAgents: 1, overdue: 1 },
      },
      // The directory reports the risk of an identity, and no inventory its status.
      {
        records: [risk('late', 73 * hourMs, { lifecycleStatus: null, isBlocked: null })],
        counts: { riskyAgents: 1, overdue: 1 },
      },
    ],
    not_met: {
      records: [...handledRisks, risk('late', 72 * hourMs + 1), risk('later', 73 * hourMs, { riskState: null })],
      counts: { riskyAgents: 5, overdue: 2 },
    },
    empty: { records: [input.agent('calm')], counts: { riskyAgents: 0 } },
  },
});
