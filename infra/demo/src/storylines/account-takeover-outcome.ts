import type { Company, Person } from '../company.ts';
import type { ActionKind, ActionPlan, ActionState } from '../feeds/action.ts';
import { actionKinds } from '../feeds/actions.ts';
import type { DetectorId } from '../feeds/detectors.ts';
import { deriveEpisodeId, type Episode, type Subject } from '../feeds/episode.ts';
import { isPrivileged, truncateToHour } from '../feeds/episodes.ts';
import { agentSubject, appSubject, fileSubject, userSubject } from '../feeds/subjects.ts';
import {
  createAddressEvidence,
  createAgentEvidence,
  createAppEvidence,
  createMailEvidence,
  createUserEvidence,
  type VendorAlert,
} from '../feeds/vendor-alert.ts';
import type { Mail } from '../inventory/mails.ts';
import { findPolicy } from '../policies.ts';
import type { StorylineOutcome } from './storyline-outcome.ts';
import { alertKinds } from './takeover-alert-kinds.ts';
import { createPhishingMail, findParticipants, type Participants } from './takeover-participants.ts';

/** The numbers are those of the log: 110 downloads, 5 links, 9 refused sign-ins, 320 mails, 2 jailbreaks. */
export function createTakeoverOutcome(company: Company, startMs: number, mails: readonly Mail[]): StorylineOutcome {
  const participants = findParticipants(company);
  const phishing = createPhishingMail(company).networkMessageId;
  const lure = mails.find(({ networkMessageId }) => networkMessageId === phishing);
  if (!lure) throw new Error('the phishing mail of the storyline is missing');
  return {
    incident: 'Account takeover with data theft and a changed agent',
    episodes: createEpisodes(company, startMs, participants),
    alerts: createAlerts(startMs, participants, lure),
    actions: createActions(startMs, participants),
  };
}

function createEpisodes(company: Company, startMs: number, { victim, agent }: Participants): Episode[] {
  const episode = (detector: DetectorId, subject: Subject, minutes: number, current: number, baseline: number) => {
    const openedMs = truncateToHour(toMs(startMs, minutes));
    return {
      id: deriveEpisodeId(company.plan.azureTenantId, detector, subject, 'storyline'),
      detector,
      subject,
      openedMs,
      lastSeenMs: openedMs + 24 * 3_600_000,
      resolvedMs: null,
      isDismissed: false,
      baseline,
      peakCurrent: current,
      current,
      ordinal: 1,
      isPrivileged: isPrivileged(company, subject),
    };
  };
  return [
    episode('volume.sign-in-failure.user', userSubject(victim), 14, 9, 0.5),
    episode('volume.mail-access.user', userSubject(victim), 30, 320, 11),
    episode('volume.file-download.user', userSubject(victim), 58, 110, 3.5),
    episode('volume.share-anonymous.user', userSubject(victim), 80, 5, 0),
    episode('volume.ai-sensitive-access.agent', agentSubject(agent), 150, 36, 4),
    episode('volume.ai-jailbreak.agent', agentSubject(agent), 150, 2, 0),
  ];
}

function createAlerts(
  startMs: number,
  { victim, second, responder, agent, harvester }: Participants,
  lure: Mail,
): VendorAlert[] {
  if (!harvester) throw new Error('the storyline needs the app NoteHarvest AI');
  const alert = (kind: VendorAlert['kind'], minutes: number, evidence: VendorAlert['evidence']): VendorAlert => ({
    kind,
    trigger: 'storyline',
    createdMs: toMs(startMs, minutes),
    firstMs: toMs(startMs, minutes - 25),
    lastMs: toMs(startMs, minutes),
    status: 'inProgress',
    changedMs: toMs(startMs, 210),
    verdict: { classification: 'truePositive', determination: 'compromisedAccount' },
    assignee: responder,
    evidence,
  });
  const abroad = createAddressEvidence('203.0.113.66');
  return [
    alert(alertKinds.lure, 40, [createMailEvidence(lure), createUserEvidence(victim)]),
    alert(alertKinds.session, 50, [createUserEvidence(victim, 'compromised'), abroad]),
    alert(alertKinds.rule, 55, [createUserEvidence(victim, 'compromised'), abroad]),
    alert(alertKinds.consent, 140, [createAppEvidence(harvester), createUserEvidence(second, 'compromised'), abroad]),
    alert(alertKinds.agent, 176, [createAgentEvidence(agent), createUserEvidence(victim, 'source')]),
  ];
}

function createActions(
  startMs: number,
  { victim, second, responder, agent, harvester, stolenFiles }: Participants,
): ActionPlan[] {
  if (!harvester) throw new Error('the storyline needs the app NoteHarvest AI');
  const action = (kind: ActionKind, subject: Subject, minutes: number, rest: Partial<ActionPlan> = {}): ActionPlan => ({
    kind,
    subject,
    ...manualResponse(responder),
    createdMs: toMs(startMs, minutes),
    ...rest,
  });
  const links = findPolicy('policy-anonymous-links');
  const byPolicy = { policy: links, by: { kind: 'policy', id: null, name: links.name } } as const;
  return [
    action(actionKinds.blockAgent, agentSubject(agent), 195, { policy: findPolicy('policy-agents-wide-reach') }),
    action(actionKinds.disableUser, userSubject(victim), 197),
    action(actionKinds.revokeSessions, userSubject(victim), 197.5),
    action(actionKinds.resetPassword, userSubject(victim), 198),
    action(actionKinds.resetPassword, userSubject(second), 199),
    action(actionKinds.revokeConsent, appSubject(harvester), 202),
    action(actionKinds.removeInboxRule, userSubject(victim), 205, { with: { rule: '..', ticket: 'INC-118' } }),
    ...stolenFiles.slice(0, 5).map((file, index) =>
      action(actionKinds.removeSharingLink, fileSubject(file), 210 + index, {
        ...byPolicy,
        ...(index === 4 ? { steps: ['staged', 'approved', 'failed'] } : {}),
      }),
    ),
  ];
}

const confirmed: readonly ActionState[] = ['staged', 'approved', 'applied', 'confirmed'];

function manualResponse(responder: Person) {
  return {
    policy: null,
    by: { kind: 'human', id: responder.id, name: responder.displayName },
    requesters: [responder],
    steps: confirmed,
    items: 1,
    failed: 0,
    isSimulated: false,
    isAcknowledged: true,
    with: { reason: 'Account takeover', ticket: 'INC-118' },
  } as const;
}

const toMs = (startMs: number, minutes: number): number => startMs + minutes * 60_000;
