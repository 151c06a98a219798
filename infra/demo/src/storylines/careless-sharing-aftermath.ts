import { type Company, personNamed } from '../company.ts';
import { actionKinds } from '../feeds/actions.ts';
import { episodeId } from '../feeds/episode.ts';
import { wholeHour } from '../feeds/episodes.ts';
import { ofFile, ofUser } from '../feeds/subjects.ts';
import { userEvidence } from '../feeds/vendor-alert.ts';
import { policyOf } from '../policies.ts';
import type { Aftermath } from './aftermath.ts';

/** The links were counted, somebody was told, and a policy took them back. */
export function afterCarelessSharing(company: Company, startMs: number): Aftermath {
  const by = personNamed(company.people, 'Toby Ashworth');
  const responder = personNamed(company.people, 'Owen Tudor');
  const papers = company.files.filter((file) => file.site.name === 'Patients');
  const policy = policyOf('policy-anonymous-links');
  const openedMs = wholeHour(startMs);
  const detector = 'volume.share-anonymous.user';
  return {
    incident: 'Patients’ papers shared by open links',
    episodes: [
      {
        id: episodeId(company.plan.azureTenantId, detector, ofUser(by), 'storyline'),
        detector,
        about: ofUser(by),
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
        occasion: 'storyline',
        createdMs: startMs + 10 * 60_000,
        firstMs: startMs,
        lastMs: startMs + 9 * 60_000,
        status: 'resolved',
        changedMs: startMs + 90 * 60_000,
        verdict: { classification: 'truePositive', determination: 'other' },
        assignee: responder,
        evidence: [userEvidence(by, 'source')],
      },
    ],
    actions: papers.map((file, index) => ({
      what: actionKinds.removeSharingLink,
      on: ofFile(file),
      policy,
      by: { kind: 'policy', id: null, name: policy.name },
      askers: [responder],
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
