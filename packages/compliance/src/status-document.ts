import { type ComplianceStatus, showTime } from '@tenantscope/contract';
import { citations } from './catalogue/citations.ts';
import { frameworkCatalogue } from './catalogue/framework.ts';
import { catalogueVersion, requirementCatalogue } from './catalogue/requirement.ts';
import { type Baseline, changesBetween } from './changes.ts';
import type { Facts } from './facts.ts';
import { countStatuses, frameworkStatus } from './framework-status.ts';
import { requirementStatus } from './requirement-status.ts';
import { type FrameworkSelection, newestSelections } from './selection.ts';

/** Version of the rules that read the catalogue: how facts become a status, not which facts. */
export const evaluatorVersion = '1';

export interface StatusInput extends Facts {
  readonly selections: readonly FrameworkSelection[];
  /** The latest snapshot; null before the first. */
  readonly baseline: Baseline | null;
}

/** The whole status document. Pure: the same input in any order gives the same document. */
export function statusDocument(input: StatusInput): ComplianceStatus {
  const selections = newestSelections(input.selections);
  const requirements = requirementCatalogue.map((requirement) => requirementStatus(requirement, input));
  const byKey = new Map(requirements.map((requirement) => [requirement.key, requirement]));
  const frameworks = frameworkCatalogue.map((framework) =>
    frameworkStatus(framework, byKey, selections.get(framework.key), input.nowMs),
  );
  const selected = new Set(frameworks.filter((framework) => framework.selected).map(({ key }) => key));
  const inScope = requirements.filter(({ articles }) => articles.some(({ framework }) => selected.has(framework)));
  return {
    generatedAt: showTime(input.nowMs),
    catalogueVersion,
    evaluatorVersion,
    ...countStatuses(inScope),
    totalCount: inScope.length,
    requirements,
    frameworks,
    changes: changesBetween(input.baseline, { catalogueVersion, requirements, frameworks }),
    limitations,
  };
}

const limitations = [
  `This is evidence about the connected systems, not legal advice and no certificate. The catalogue covers ${citations.size} articles and controls of ${frameworkCatalogue.length} frameworks, not all that the frameworks ask for; physical and many organizational measures are outside it.`,
  'Articles whose inForce is false apply from their appliesFrom on; until then their status shows how far the organization is prepared.',
];
