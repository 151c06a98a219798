import { requirementCatalogue } from '@tenantscope/compliance';
import { ApiError, type ComplianceStatus, getComplianceStatus, type OperationInput } from '@tenantscope/contract';
import { findNearNames } from '../near-names.ts';
import { summarizeStatus } from './document-view.ts';

type Input = OperationInput<typeof getComplianceStatus>;

const requirementKeys = requirementCatalogue.map(({ key }) => key);
const catalogueKeys = new Set(requirementKeys);

/** Throws INVALID_PARAMETER for a requirement that the catalogue does not have; the details list similar keys. */
export function checkRequirementKeys({ requirement = [] }: Input): void {
  const unknown = requirement.find((key) => !catalogueKeys.has(key));
  if (unknown === undefined) return;
  const near = findNearNames(unknown, requirementKeys);
  throw new ApiError(
    'INVALID_PARAMETER',
    `The parameter requirement has a key that the catalogue does not have. ${near.length > 0 ? `Similar keys: ${near.join(', ')}.` : 'Keys are listed by /compliance/status.'}`,
    [
      {
        parameter: 'requirement',
        reason: 'has a key that the catalogue does not have',
        ...(near.length > 0 ? { allowed: near } : {}),
        example: getComplianceStatus.parameters.requirement.example,
      },
    ],
  );
}

/** The part of a status that the request names. Counts and readiness remain those of the whole. */
export function selectFromStatus(body: Buffer, input: Input): Buffer | string {
  const { view, framework, status, requirement } = input;
  if (view !== 'summary' && !framework && !status && !requirement) return body;
  const { data } = JSON.parse(body.toString()) as { data: ComplianceStatus };
  const selected = selectRows(data, input);
  return JSON.stringify({ data: view === 'summary' ? summarizeStatus(selected) : selected });
}

function selectRows(data: ComplianceStatus, { framework, status, requirement }: Input): ComplianceStatus {
  const frameworks = framework && new Set<string>(framework);
  const statuses = status && new Set<string>(status);
  const keys = requirement && new Set(requirement);
  const requirements = data.requirements.filter(
    (one) =>
      (statuses?.has(one.status) ?? true) &&
      (keys?.has(one.key) ?? true) &&
      (frameworks === undefined || one.articles.some((article) => frameworks.has(article.framework))),
  );
  const shown = new Set(requirements.map(({ key }) => key));
  const named = data.frameworks.filter(({ key }) => frameworks?.has(key) ?? true);
  return {
    ...data,
    requirements,
    frameworks: statuses || keys ? named.map((one) => selectControls(one, shown)).filter(hasControls) : named,
  };
}

type FrameworkStatus = ComplianceStatus['frameworks'][number];

function selectControls(framework: FrameworkStatus, shown: ReadonlySet<string>): FrameworkStatus {
  const controls = framework.controls.filter(({ requirementKeys }) => requirementKeys.some((key) => shown.has(key)));
  return { ...framework, controls };
}

const hasControls = ({ controls }: FrameworkStatus): boolean => controls.length > 0;
