import type { CompanyPlan } from './company-plan.ts';
import { memoize } from './memoize.ts';
import { deriveGuid } from './random.ts';

/** A kind of sensitive content. Those of the suite have the same id in every tenant of the world. */
export interface InfoType {
  readonly id: string;
  readonly name: string;
  readonly kind: 'entity' | 'namedEntity' | 'fingerprint' | 'exactDataMatch' | 'trainableClassifier' | 'credential';
  readonly confidence: number;
  readonly isCustom: boolean;
}

export const creditCard = suite('Credit Card Number', 'entity', 85, '50842eb7-edc8-4019-85dd-5a5c1f2bb085');
export const bankAccount = suite(
  'International Banking Account Number (IBAN)',
  'entity',
  85,
  'e7dc4711-11b7-4cb0-b88b-2c394a771f0e',
);

const ofTheSuite: readonly InfoType[] = [
  creditCard,
  bankAccount,
  suite('SWIFT Code', 'entity', 75),
  suite('EU Passport Number', 'entity', 75),
  suite('EU Tax Identification Number', 'entity', 75),
  suite('Netherlands Citizens Service Number', 'entity', 85),
  suite('Poland National ID', 'entity', 85),
  suite('U.K. National Health Service Number', 'entity', 85),
  suite('IP Address', 'entity', 65),
  suite('All Full Names', 'namedEntity', 75),
  suite('All Physical Addresses', 'namedEntity', 75),
  suite('Diseases', 'namedEntity', 75),
  suite('General Password', 'credential', 75),
  suite('Client Secret / API Key', 'credential', 85),
  suite('Resume', 'trainableClassifier', 65),
  suite('Source code', 'trainableClassifier', 65),
  suite('Legal affairs', 'trainableClassifier', 65),
];

/** What a company looks for in its content: kinds of the suite, and some of its own. */
export const listInfoTypes = memoize((plan: CompanyPlan): readonly InfoType[] => {
  const name = plan.name.split(' ')[0] ?? plan.name;
  const own = (what: string, kind: InfoType['kind']): InfoType => ({
    id: deriveGuid(plan.azureTenantId, 'information type', what),
    name: `${name} ${what}`,
    kind,
    confidence: 75,
    isCustom: true,
  });
  return [
    ...(plan.employees.length > 20 ? ofTheSuite : ofTheSuite.slice(0, 8)),
    own('customer number', 'exactDataMatch'),
    own('order form', 'fingerprint'),
    own('project code', 'entity'),
  ];
});

function suite(name: string, kind: InfoType['kind'], confidence: number, id = deriveGuid('suite', name)): InfoType {
  return { id, name, kind, confidence, isCustom: false };
}
