import { type Company, personNamed } from '../company.ts';
import type { Mail } from '../estate/mails.ts';
import type { ActionKind, ActionPlan, Rung } from '../feeds/action.ts';
import { actionKinds } from '../feeds/actions.ts';
import type { DetectorId } from '../feeds/detectors.ts';
import { type Episode, episodeId, type Subject } from '../feeds/episode.ts';
import { isPrivileged, wholeHour } from '../feeds/episodes.ts';
import { ofAgent, ofApp, ofFile, ofUser } from '../feeds/subjects.ts';
import {
  addressEvidence,
  agentEvidence,
  appEvidence,
  mailEvidence,
  userEvidence,
  type VendorAlert,
} from '../feeds/vendor-alert.ts';
import { policyOf } from '../policies.ts';
import { lootOf, lureOf } from './account-takeover.ts';
import type { Aftermath } from './aftermath.ts';

/** The numbers are those of the log: 110 downloads, 5 links, 9 refused sign-ins, 320 mails, 2 jailbreaks. */
export function afterTakeover(company: Company, startMs: number, mails: readonly Mail[]): Aftermath {
  const victim = personNamed(company.people, 'Teun Verhagen');
  const second = personNamed(company.people, 'Casper Dahl');
  const responder = personNamed(company.people, 'Sybren Hoekstra');
  const agent = company.agents.find(({ creator }) => creator === victim);
  const harvester = company.apps.find(({ name }) => name === 'NoteHarvest AI');
  const lure = mails.find(({ networkMessageId }) => networkMessageId === lureOf(company).networkMessageId);
  if (!agent || !harvester || !lure) throw new Error('the storyline left no trace of its agent, app or mail');
  const at = (minutes: number) => startMs + minutes * 60_000;

  const episode = (
    detector: DetectorId,
    about: Subject,
    minutes: number,
    current: number,
    baseline: number,
  ): Episode => {
    const openedMs = wholeHour(at(minutes));
    return {
      id: episodeId(company.plan.azureTenantId, detector, about, 'storyline'),
      detector,
      about,
      openedMs,
      lastSeenMs: openedMs + 24 * 3_600_000,
      resolvedMs: null,
      isDismissed: false,
      baseline,
      peakCurrent: current,
      current,
      ordinal: 1,
      isPrivileged: isPrivileged(company, about),
    };
  };

  const done = (what: ActionKind, on: Subject, minutes: number, rest: Partial<ActionPlan> = {}): ActionPlan => ({
    what,
    on,
    policy: null,
    by: { kind: 'human', id: responder.id, name: responder.displayName },
    askers: [responder],
    createdMs: at(minutes),
    steps: confirmed,
    items: 1,
    failed: 0,
    isSimulated: false,
    isAcknowledged: true,
    with: { reason: 'Account takeover', ticket: 'INC-118' },
    ...rest,
  });
  const links = policyOf('policy-anonymous-links');
  const byPolicy = { policy: links, by: { kind: 'policy', id: null, name: links.name } } as const;

  const alert = (
    kind: VendorAlert['kind'],
    minutes: number,
    evidence: VendorAlert['evidence'],
    lastMinutes = minutes,
  ): VendorAlert => ({
    kind,
    occasion: 'storyline',
    createdMs: at(minutes),
    firstMs: at(minutes - 25),
    lastMs: at(lastMinutes),
    status: 'inProgress',
    changedMs: at(210),
    verdict: { classification: 'truePositive', determination: 'compromisedAccount' },
    assignee: responder,
    evidence,
  });
  const abroad = addressEvidence('203.0.113.66');

  return {
    incident: 'Account takeover with data theft and a changed agent',
    episodes: [
      episode('volume.sign-in-failure.user', ofUser(victim), 14, 9, 0.5),
      episode('volume.mail-access.user', ofUser(victim), 30, 320, 11),
      episode('volume.file-download.user', ofUser(victim), 58, 110, 3.5),
      episode('volume.share-anonymous.user', ofUser(victim), 80, 5, 0),
      episode('volume.ai-sensitive-access.agent', ofAgent(agent), 150, 36, 4),
      episode('volume.ai-jailbreak.agent', ofAgent(agent), 150, 2, 0),
    ],
    alerts: [
      alert(kinds.lure, 40, [mailEvidence(lure), userEvidence(victim)]),
      alert(kinds.session, 50, [userEvidence(victim, 'compromised'), abroad]),
      alert(kinds.rule, 55, [userEvidence(victim, 'compromised'), abroad]),
      alert(kinds.consent, 140, [appEvidence(harvester), userEvidence(second, 'compromised'), abroad]),
      alert(kinds.agent, 176, [agentEvidence(agent), userEvidence(victim, 'source')]),
    ],
    actions: [
      done(actionKinds.blockAgent, ofAgent(agent), 195, { policy: policyOf('policy-agents-wide-reach') }),
      done(actionKinds.disableUser, ofUser(victim), 197),
      done(actionKinds.revokeSessions, ofUser(victim), 197.5),
      done(actionKinds.resetPassword, ofUser(victim), 198),
      done(actionKinds.resetPassword, ofUser(second), 199),
      done(actionKinds.revokeConsent, ofApp(harvester), 202),
      done(actionKinds.removeInboxRule, ofUser(victim), 205, { with: { rule: '..', ticket: 'INC-118' } }),
      ...lootOf(company)
        .slice(0, 5)
        .map((file, index) =>
          done(actionKinds.removeSharingLink, ofFile(file), 210 + index, {
            ...byPolicy,
            ...(index === 4 ? { steps: ['staged', 'approved', 'failed'] } : {}),
          }),
        ),
    ],
  };
}

const confirmed: readonly Rung[] = ['staged', 'approved', 'applied', 'confirmed'];
const identity = { serviceSource: 'azureAdIdentityProtection', detectionSource: 'azureAdIdentityProtection' };
const cloudApps = { serviceSource: 'microsoftDefenderForCloudApps', detectionSource: 'cloudAppSecurity' };

const kinds = {
  lure: {
    title: 'Phishing mail was delivered',
    description: 'A mail that a later verdict calls phishing lay in an inbox, and its link was opened.',
    severity: 'high',
    category: 'InitialAccess',
    serviceSource: 'microsoftDefenderForOffice365',
    detectionSource: 'microsoftDefenderForOffice365',
    advice: 'Remove the mail and see who opened the link.',
    threat: 'Phish.Lanternfish',
  },
  session: {
    title: 'Sign-in with a stolen session',
    description: 'A sign-in after several refused ones, from an address and a machine never seen before.',
    severity: 'high',
    category: 'CredentialAccess',
    ...identity,
    advice: 'Revoke the sessions, reset the password and look at what was done since.',
  },
  rule: {
    title: 'Inbox rule that hides and forwards mail',
    description: 'A rule forwards mail about invoices and banks outside and deletes it.',
    severity: 'medium',
    category: 'Exfiltration',
    ...cloudApps,
    advice: 'Remove the rule.',
  },
  consent: {
    title: 'Consent for the whole organization to an unknown AI app',
    description: 'An administrator granted an app of an unverified publisher access to all files and mail.',
    severity: 'high',
    category: 'Persistence',
    ...cloudApps,
    advice: 'Revoke the consent unless the administrator confirms it.',
  },
  agent: {
    title: 'Agent was opened to the whole organization and attacked',
    description:
      'The authentication of an agent was changed, it was shared with everybody, and prompts tried to lift its limits.',
    severity: 'high',
    category: 'DefenseEvasion',
    serviceSource: 'microsoftDefenderForAIServices',
    detectionSource: 'microsoftDefenderForAIServices',
    advice: 'Block the agent and restore its last version.',
  },
} as const;
