import { type ComplianceStatus, formatTime } from '@tenantscope/contract';
import { citations } from '../catalogue/citations.ts';
import { frameworkCatalogue } from '../catalogue/framework.ts';
import { catalogueVersion, requirementCatalogue } from '../catalogue/requirement.ts';
import type { Facts } from '../evaluation/facts.ts';
import type { LocalizedText } from '../report/language.ts';
import { type FrameworkSelection, newestSelections } from './framework-selection.ts';
import { buildFrameworkStatus, countStatuses } from './framework-status.ts';
import { buildRequirementStatus } from './requirement-status.ts';
import { type Baseline, compareStatus } from './status-changes.ts';

/** Version of the evaluation rules: how facts become a status, not which facts. When it changes: ADR 0029. */
export const evaluatorVersion = '1';

export interface StatusInput extends Facts {
  readonly selections: readonly FrameworkSelection[];
  /** The latest snapshot; null before the first. */
  readonly baseline: Baseline | null;
}

/** The complete status document. Pure: the same input in any order gives the same document. */
export function buildStatusDocument(input: StatusInput): ComplianceStatus {
  const selections = newestSelections(input.selections);
  const requirements = requirementCatalogue.map((requirement) => buildRequirementStatus(requirement, input));
  const byKey = new Map(requirements.map((requirement) => [requirement.key, requirement]));
  const frameworks = frameworkCatalogue.map((framework) =>
    buildFrameworkStatus(framework, byKey, selections.get(framework.key), input.nowMs),
  );
  const selected = new Set(frameworks.filter((framework) => framework.selected).map(({ key }) => key));
  const inScope = requirements.filter(({ articles }) => articles.some(({ framework }) => selected.has(framework)));
  return {
    generatedAt: formatTime(input.nowMs),
    catalogueVersion,
    evaluatorVersion,
    ...countStatuses(inScope),
    totalCount: inScope.length,
    requirements,
    frameworks,
    changes: compareStatus(input.baseline, { catalogueVersion, evaluatorVersion, requirements, frameworks }),
    limitations: limitations.map(([en]) => en),
    limitationsPl: limitations.map(([, pl]) => pl),
  };
}

const limitations: readonly LocalizedText[] = [
  [
    `This is evidence about the connected systems. It is not legal advice and not a certificate. The catalogue covers ${citations.size} articles and controls of ${frameworkCatalogue.length} frameworks, not everything that the frameworks require; physical and many organizational measures are out of scope.`,
    `Dokument zawiera dowody dotyczące podłączonych systemów. Nie jest poradą prawną ani certyfikatem. Katalog obejmuje część wymagań (przepisy i zabezpieczenia: ${citations.size}, regulacje i standardy: ${frameworkCatalogue.length}); zabezpieczenia fizyczne i wiele organizacyjnych jest poza jego zakresem.`,
  ],
  [
    'Articles whose inForce is false apply from their appliesFrom date; until then their status shows how well the organization is prepared.',
    'Przepisy, przy których inForce ma wartość false, stosuje się od dnia appliesFrom; do tego dnia ich status pokazuje stopień przygotowania organizacji.',
  ],
];
