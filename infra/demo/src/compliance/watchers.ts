import type { Company } from '../company.ts';
import { type DemoState, shown } from '../demo-state.ts';
import { type Detector, detectors } from '../feeds/detectors.ts';
import { type Policy, policies } from '../policies.ts';
import { dayMs, namedState } from './compliance-state.ts';

/** The policies and detectors that watch a company, by the ids that scans and episodes have of them. */
export function* watchers({ plan }: Company, endMs: number): Generator<DemoState> {
  const isOn = (id: string) => !plan.compliance.isOff.includes(id);
  for (const policy of policies)
    yield namedState('policy', policy.id, endMs - 60 * dayMs, {
      name: policy.name,
      enabled: isOn(policy.id),
      severity: policy.severity,
      subjectType: policy.looksAt,
      aiSubject: isAboutAi(policy),
    });
  for (const [id, detector] of Object.entries<Detector>(detectors)) {
    // What counts sign-ins of devices hung; nobody has noticed.
    const ranMs = endMs - (detector.watches === 'device' ? 40 : 1) * 3_600_000;
    yield namedState('detector', id, ranMs, {
      name: detector.name,
      enabled: isOn(id),
      entityTypes: [...(detector.watches === null ? [] : [detector.watches]), ...othersIn(detector)],
      lastRunAt: shown(ranMs),
    });
  }
}

function isAboutAi({ id, looksAt }: Policy): boolean {
  return looksAt === 'agent' || id === 'policy-ai-apps-unverified' || id === 'policy-restricted-data-in-ai';
}

/** Whoever prompts AI prompts something. */
function othersIn({ watches, actionGroup }: Detector): string[] {
  if (!actionGroup.startsWith('ai.')) return [];
  return watches === 'agent' ? ['aiApp'] : ['agent', 'aiApp'];
}
