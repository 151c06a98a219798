import type { Company } from '../company.ts';
import { actionKinds } from '../feeds/actions.ts';
import { deriveEpisodeId } from '../feeds/episode.ts';
import { truncateToHour } from '../feeds/episodes.ts';
import { userSubject } from '../feeds/subjects.ts';
import { createAddressEvidence, createUserEvidence } from '../feeds/vendor-alert.ts';
import type { StorylineOutcome } from './storyline-outcome.ts';

/** One failed Microsoft sign-in per user; users who were locked out get a second factor. */
export function createSprayOutcome(company: Company, startMs: number): StorylineOutcome {
  const [responder] = company.admins;
  if (!responder) throw new Error('the storyline needs an administrator');
  const openedMs = truncateToHour(startMs);
  const detector = 'volume.sign-in-failure.tenant';
  const locked = company.employees.filter((_, index) => index % 8 === 3);
  return {
    incident: 'Password spray from three addresses',
    episodes: [
      {
        id: deriveEpisodeId(company.plan.azureTenantId, detector, null, 'storyline'),
        detector,
        subject: null,
        openedMs,
        lastSeenMs: openedMs + 24 * 3_600_000,
        resolvedMs: openedMs + 72 * 3_600_000,
        isDismissed: false,
        baseline: 1.5,
        peakCurrent: company.employees.length,
        current: 2,
        ordinal: 1,
        isPrivileged: false,
      },
    ],
    alerts: [
      {
        kind: {
          title: 'Password spray',
          description: 'One password was tried on many accounts.',
          severity: 'medium',
          category: 'CredentialAccess',
          serviceSource: 'azureAdIdentityProtection',
          detectionSource: 'azureAdIdentityProtection',
          advice: 'See whether a sign-in from these addresses succeeded.',
        },
        trigger: 'storyline',
        createdMs: startMs + 40 * 60_000,
        firstMs: startMs,
        lastMs: startMs + 16 * 60_000,
        status: 'resolved',
        changedMs: startMs + 180 * 60_000,
        verdict: { classification: 'truePositive', determination: 'maliciousUserActivity' },
        assignee: responder,
        evidence: [...locked.map((person) => createUserEvidence(person)), createAddressEvidence('203.0.113.17')],
      },
    ],
    actions: locked.map((person, index) => ({
      kind: actionKinds.requireMfa,
      subject: userSubject(person),
      policy: null,
      by: { kind: 'human', id: responder.id, name: responder.displayName },
      requesters: [responder],
      createdMs: startMs + (60 + index) * 60_000,
      steps: ['staged', 'approved', 'applied', 'confirmed'],
      items: 1,
      failed: 0,
      isSimulated: false,
      isAcknowledged: true,
      with: { reason: 'Password spray' },
    })),
  };
}
