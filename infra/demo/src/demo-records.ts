import { generateComplianceRecords } from './compliance/compliance-records.ts';
import { demoHistory } from './demo-history.ts';
import type { DemoState } from './demo-state.ts';
import type { DemoTenant } from './demo-tenants.ts';
import { generateAgentEvidence } from './evidence/agent-evidence.ts';
import { createActionStates } from './feeds/action.ts';
import { createRoutineActions } from './feeds/actions.ts';
import { createEpisodeStates } from './feeds/episode.ts';
import { createRoutineEpisodes } from './feeds/episodes.ts';
import { createGoogleAlerts } from './feeds/google-alerts.ts';
import { createNotifications, createSilenceNotification } from './feeds/notifications.ts';
import { createScanStates, createScans, type Scan } from './feeds/policy-scans.ts';
import { createAlertStates, createIncidentState, createRaisedState, type VendorAlert } from './feeds/vendor-alert.ts';
import { createRoutineAlerts } from './feeds/vendor-alerts.ts';
import { generateEntities } from './inventory/entities.ts';
import type { InventorySnapshot } from './inventory/inventory-snapshot.ts';
import { collectMails, createUnwantedMails, type Mail } from './inventory/mails.ts';
import { generateProviderObjects } from './inventory/provider-objects.ts';
import { createRandom } from './random.ts';
import { respondToEarlierEvents } from './storylines/earlier-responses.ts';
import { createOutcome } from './storylines/outcome.ts';
import type { StorylineOutcome } from './storylines/storyline-outcome.ts';
import { storylineStartMs } from './storylines/storyline-start.ts';

/** The state of a company that its records, other than log records, share. */
export interface CompanyState extends InventorySnapshot {
  readonly scans: readonly Scan[];
  /** Routine alerts, outside the storyline. */
  readonly everyday: readonly VendorAlert[];
  readonly outcome: StorylineOutcome;
  readonly storylineStartMs: number;
}

/**
 * All records of a company except its log, as of `endMs`: its inventory, and the detections, alerts, notifications and actions of the thirty days
 * before. They refer to the same users, objects and mails as `demoHistory` with the same arguments. All states of a record are generated, in order.
 */
export function* demoRecords(options: { tenant: DemoTenant; endMs: number; seed?: string }): Generator<DemoState> {
  for (const state of generateStates(options)) if (state.changedAtMs <= options.endMs) yield state;
}

/** Also generates states after `endMs`. */
function* generateStates(options: { tenant: DemoTenant; endMs: number; seed?: string }): Generator<DemoState> {
  const { tenant, endMs, seed = 'tenantscope' } = options;
  const { company } = tenant;
  const companyState = buildCompanyState(options);
  const { outcome, episodes, scans, storylineStartMs: storylineMs } = companyState;
  const size = recordCounts(tenant);
  const random = (what: string) => createRandom(`${seed}/${tenant.azureTenantId}/${what}`);

  yield* generateEntities(companyState);
  yield* generateProviderObjects(companyState);
  yield* generateAgentEvidence(company, endMs, storylineMs);
  yield* generateComplianceRecords(company, endMs, storylineMs);
  for (const episode of episodes) yield* createEpisodeStates(episode);
  for (const scan of scans) yield* createScanStates(company, scan);
  for (const alert of companyState.everyday) yield* createAlertStates(company, alert);
  // Storyline alerts get their later states through their incident.
  for (const alert of outcome.alerts) yield createRaisedState(company, alert);
  yield createIncidentState(company, outcome.incident, outcome.alerts);
  yield* createGoogleAlerts(company, endMs);
  yield* createNotifications(company, random('notifications'), companyState, size.notifications);
  yield createSilenceNotification(company, endMs - 30 * 86_400_000 + 1_800_000);
  const actions = [
    ...outcome.actions,
    ...respondToEarlierEvents(company, endMs),
    ...createRoutineActions(company, random('actions'), endMs, size.actions),
  ];
  for (const action of actions) yield* createActionStates(company, action);
}

/** Builds the state of a company at a time. */
export function buildCompanyState(options: { tenant: DemoTenant; endMs: number; seed?: string }): CompanyState {
  const { tenant, endMs, seed = 'tenantscope' } = options;
  const { company } = tenant;
  const size = recordCounts(tenant);
  const random = (what: string) => createRandom(`${seed}/${tenant.azureTenantId}/${what}`);
  const storylineMs = storylineStartMs(company, endMs);
  const unwanted = createUnwantedMails(company, endMs);
  const mails: Mail[] = [...collectMails(company, demoHistory({ tenant, endMs, seed }), size.sentMails), ...unwanted];
  const outcome = createOutcome(company, storylineMs, mails);
  const everyday = createRoutineAlerts(company, random('alerts'), endMs, { mails: unwanted, count: size.alerts });
  return {
    company,
    atMs: endMs,
    mails,
    outcome,
    everyday,
    storylineStartMs: storylineMs,
    episodes: [...outcome.episodes, ...createRoutineEpisodes(company, random('episodes'), endMs, size.episodes)],
    alerts: [...outcome.alerts, ...everyday],
    scans: createScans(company, random('scans'), endMs, storylineMs),
  };
}

/** The number of records per feed: enough to exercise every filter, in proportion to the company. */
function recordCounts({ company }: DemoTenant) {
  const isLarge = company.employees.length > 20;
  return isLarge
    ? { episodes: 36, alerts: 18, notifications: 204, actions: 70, sentMails: 12 }
    : { episodes: 12, alerts: 6, notifications: 40, actions: 18, sentMails: 5 };
}
