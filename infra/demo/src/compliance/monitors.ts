import type { Company } from '../company.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import { type Detector, detectors } from '../feeds/detectors.ts';
import { type Policy, policies } from '../policies.ts';
import { createNamedState, dayMs } from './compliance-state.ts';

/** The policies and detectors of a company, with the ids that scans and episodes refer to. */
export function* generateMonitors({ plan }: Company, endMs: number): Generator<DemoState> {
  const isOn = (id: string) => !plan.compliance.isOff.includes(id);
  for (const policy of policies)
    yield createNamedState('policy', policy.id, endMs - 60 * dayMs, {
      name: policy.name,
      enabled: isOn(policy.id),
      severity: policy.severity,
      subjectType: policy.resourceType,
      aiSubject: isAboutAi(policy),
    });
  for (const [id, detector] of Object.entries<Detector>(detectors)) {
    // The detector of device sign-ins has stalled unnoticed.
    const ranMs = endMs - (detector.watches === 'device' ? 40 : 1) * 3_600_000;
    yield createNamedState('detector', id, ranMs, {
      name: detector.name,
      enabled: isOn(id),
      entityTypes: [...(detector.watches === null ? [] : [detector.watches]), ...listOtherGroups(detector)],
      lastRunAt: formatInstant(ranMs),
    });
  }
}

function isAboutAi({ id, resourceType: looksAt }: Policy): boolean {
  return looksAt === 'agent' || id === 'policy-ai-apps-unverified' || id === 'policy-restricted-data-in-ai';
}

/** A detector of AI prompts by users also covers agents. */
function listOtherGroups({ watches, actionGroup }: Detector): string[] {
  if (!actionGroup.startsWith('ai.')) return [];
  return watches === 'agent' ? ['aiApp'] : ['agent', 'aiApp'];
}
