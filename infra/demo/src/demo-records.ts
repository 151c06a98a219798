import { chanceFrom } from './chance.ts';
import { complianceRecords } from './compliance/compliance-records.ts';
import { demoHistory } from './demo-history.ts';
import type { DemoState } from './demo-state.ts';
import type { DemoTenant } from './demo-tenants.ts';
import { entitiesOf } from './estate/entities.ts';
import { type Mail, mailsOf, unwantedMails } from './estate/mails.ts';
import type { Picture } from './estate/picture.ts';
import { providerObjects } from './estate/provider-objects.ts';
import { agentEvidence } from './evidence/agent-evidence.ts';
import { actionStates } from './feeds/action.ts';
import { everydayActions } from './feeds/actions.ts';
import { episodeStates } from './feeds/episode.ts';
import { everydayEpisodes } from './feeds/episodes.ts';
import { googleAlerts } from './feeds/google-alerts.ts';
import { notificationsOf, silenceNoticed } from './feeds/notifications.ts';
import { type Scan, scanStates, scansOf } from './feeds/policy-scans.ts';
import { alertStates, incidentState, raisedState, type VendorAlert } from './feeds/vendor-alert.ts';
import { everydayAlerts } from './feeds/vendor-alerts.ts';
import { type Aftermath, aftermathOf } from './storylines/aftermath.ts';
import { answersToEarlier } from './storylines/earlier-answers.ts';
import { storylineStartMs } from './storylines/storyline-start.ts';

/** What a company's records, other than those of its log, speak of together. */
export interface Setting extends Picture {
  readonly scans: readonly Scan[];
  /** Alerts that belong to no storyline. */
  readonly everyday: readonly VendorAlert[];
  readonly aftermath: Aftermath;
  readonly storyMs: number;
}

/**
 * Everything but a company's log, as of `endMs`: what it consists of, what was noticed, told and done in the thirty days before. It speaks of
 * the same people, things and mails as `demoHistory` of the same arguments. Records that changed come in all their states, in order.
 */
export function* demoRecords(options: { tenant: DemoTenant; endMs: number; seed?: string }): Generator<DemoState> {
  for (const state of lifeOf(options)) if (state.changedAtMs <= options.endMs) yield state;
}

/** Also what is still to come of what has begun. */
function* lifeOf(options: { tenant: DemoTenant; endMs: number; seed?: string }): Generator<DemoState> {
  const { tenant, endMs, seed = 'tenantscope' } = options;
  const { company } = tenant;
  const setting = settingOf(options);
  const { aftermath, episodes, scans, storyMs } = setting;
  const size = sizeOf(tenant);
  const chance = (what: string) => chanceFrom(`${seed}/${tenant.azureTenantId}/${what}`);

  yield* entitiesOf(setting);
  yield* providerObjects(setting);
  yield* agentEvidence(company, endMs, storyMs);
  yield* complianceRecords(company, endMs, storyMs);
  for (const episode of episodes) yield* episodeStates(episode);
  for (const scan of scans) yield* scanStates(company, scan);
  for (const alert of setting.everyday) yield* alertStates(company, alert);
  // Those of the storyline go on within their incident.
  for (const alert of aftermath.alerts) yield raisedState(company, alert);
  yield incidentState(company, aftermath.incident, aftermath.alerts);
  yield* googleAlerts(company, endMs);
  yield* notificationsOf(company, chance('notifications'), setting, size.notifications);
  yield silenceNoticed(company, endMs - 30 * 86_400_000 + 1_800_000);
  const actions = [
    ...aftermath.actions,
    ...answersToEarlier(company, endMs),
    ...everydayActions(company, chance('actions'), endMs, size.actions),
  ];
  for (const action of actions) yield* actionStates(company, action);
}

/** What there is at a moment to speak of. */
export function settingOf(options: { tenant: DemoTenant; endMs: number; seed?: string }): Setting {
  const { tenant, endMs, seed = 'tenantscope' } = options;
  const { company } = tenant;
  const size = sizeOf(tenant);
  const chance = (what: string) => chanceFrom(`${seed}/${tenant.azureTenantId}/${what}`);
  const storyMs = storylineStartMs(company, endMs);
  const unwanted = unwantedMails(company, endMs);
  const mails: Mail[] = [...mailsOf(company, demoHistory({ tenant, endMs, seed }), size.sentMails), ...unwanted];
  const aftermath = aftermathOf(company, storyMs, mails);
  const everyday = everydayAlerts(company, chance('alerts'), endMs, { mails: unwanted, count: size.alerts });
  return {
    company,
    atMs: endMs,
    mails,
    aftermath,
    everyday,
    storyMs,
    episodes: [...aftermath.episodes, ...everydayEpisodes(company, chance('episodes'), endMs, size.episodes)],
    alerts: [...aftermath.alerts, ...everyday],
    scans: scansOf(company, chance('scans'), endMs, storyMs),
  };
}

/** Enough for every filter to tell something apart, in proportion to the company. */
function sizeOf({ company }: DemoTenant) {
  const isLarge = company.people.length > 20;
  return isLarge
    ? { episodes: 36, alerts: 18, notifications: 204, actions: 70, sentMails: 12 }
    : { episodes: 12, alerts: 6, notifications: 40, actions: 18, sentMails: 5 };
}
