import { type Company, findPerson } from '../company.ts';
import { actionKinds } from '../feeds/actions.ts';
import { deriveEpisodeId } from '../feeds/episode.ts';
import { truncateToHour } from '../feeds/episodes.ts';
import { fileSubject, userSubject } from '../feeds/subjects.ts';
import { createUserEvidence } from '../feeds/vendor-alert.ts';
import { findPolicy } from '../policies.ts';
import type { StorylineOutcome } from './storyline-outcome.ts';

/** The links are detected, an alert is raised, and a policy removes the links. */
export function createSharingOutcome(company: Company, startMs: number): StorylineOutcome {
  const by = findPerson(company.employees, 'Toby Ashworth');
  const responder = findPerson(company.employees, 'Owen Tudor');
  const papers = company.files.filter((file) => file.site.name === 'Patients');
  const policy = findPolicy('policy-anonymous-links');
  const openedMs = truncateToHour(startMs);
  const detector = 'volume.share-anonymous.user';
  return {
    incident: 'Patient records shared by open links',
    episodes: [
      {
        id: deriveEpisodeId(company.plan.azureTenantId, detector, userSubject(by), 'storyline'),
        detector,
        subject: userSubject(by),
        openedMs,
        lastSeenMs: openedMs + 24 * 3_600_000,
        resolvedMs: openedMs + 30 * 3_600_000,
        isDismissed: true,
        baseline: 0,
        peakCurrent: papers.length,
        current: papers.length,
        ordinal: 1,
        isPrivileged: false,
      },
    ],
    alerts: [
      {
        kind: {
          title: 'Sensitive files shared with anyone',
          description: 'Files that a data loss rule matched were opened to anyone with a link.',
          severity: 'medium',
          category: 'Exfiltration',
          serviceSource: 'microsoftDataLossPrevention',
          detectionSource: 'microsoftDataLossPrevention',
          advice: 'Remove the links and speak with the user.',
        },
        trigger: 'storyline',
        createdMs: startMs + 10 * 60_000,
        firstMs: startMs,
        lastMs: startMs + 9 * 60_000,
        status: 'resolved',
        changedMs: startMs + 90 * 60_000,
        verdict: { classification: 'truePositive', determination: 'other' },
        assignee: responder,
        evidence: [createUserEvidence(by, 'source')],
      },
    ],
    actions: papers.map((file, index) => ({
      kind: actionKinds.removeSharingLink,
      subject: fileSubject(file),
      policy,
      by: { kind: 'policy', id: null, name: policy.name },
      requesters: [responder],
      createdMs: startMs + (12 + index * 4) * 60_000,
      steps: ['staged', 'approved', 'applied', 'confirmed'],
      items: 1,
      failed: 0,
      isSimulated: false,
      isAcknowledged: true,
      with: { scope: 'anyone' },
    })),
  };
}
