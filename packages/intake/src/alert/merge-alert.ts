import { alertElementsMax, type SecurityAlert } from '@tenantscope/contract';
import { collectElements } from './merge-elements.ts';

/**
 * The list members of an alert, JSON text without braces, with what its evidence adds: elements and techniques, up to
 * `alertElementsMax` of each. Those of the alert come first, then those of the evidence in the order given; everything else
 * is the alert's. The result depends on nothing but the arguments.
 */
export function mergeAlertEvidence(members: string, evidence: readonly string[]): string {
  const alert = parseMembers(members);
  const all = [alert, ...evidence.map(parseMembers)];
  const techniques = new Set(all.flatMap(({ mitreTechniques }) => mitreTechniques));
  const merged = {
    ...alert,
    ...collectElements(all),
    mitreTechniques: [...techniques].slice(0, alertElementsMax),
  };
  return JSON.stringify(merged).slice(1, -1);
}

/** Members as `toAlertState` wrote them. */
function parseMembers(members: string): SecurityAlert {
  return JSON.parse(`{${members}}`) as SecurityAlert;
}
