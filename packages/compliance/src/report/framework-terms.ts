import { type Framework, frameworkCatalogue } from '../catalogue/framework.ts';
import type { LocalizedText } from './language.ts';

export interface FrameworkTerms {
  /** What it is. */
  readonly noun: LocalizedText;
  /** One of its controls, as a column heading. */
  readonly control: LocalizedText;
  /** "The catalogue covers …, not everything that … requires." */
  readonly limitation: LocalizedText;
}

const article: LocalizedText = ['Article', 'Artykuł'];
const provision: LocalizedText = ['Provision', 'Przepis'];
const limit = (noun: string, all: string): LocalizedText => [
  `The catalogue covers the entries listed here, not everything that the ${noun} requires.`,
  `Katalog obejmuje wymienione tu pozycje, a nie wszystkie wymagania ${all}.`,
];

/**
 * What auditors and officers call a framework and its controls. Polish has no common noun for laws, standards and criteria:
 * "ramy" is used only for what a law itself calls so, such as ICT risk management in DORA.
 */
const termsByKind: ReadonlyMap<Framework['kind'], FrameworkTerms> = new Map([
  [
    'eu_regulation',
    {
      noun: ['EU regulation', 'Rozporządzenie UE'],
      control: article,
      limitation: limit('regulation', 'rozporządzenia'),
    },
  ],
  [
    'eu_directive',
    { noun: ['EU directive', 'Dyrektywa UE'], control: article, limitation: limit('directive', 'dyrektywy') },
  ],
  ['national_act', { noun: ['National law', 'Ustawa'], control: provision, limitation: limit('law', 'ustawy') }],
  [
    'national_regulation',
    { noun: ['Regulation', 'Przepisy'], control: provision, limitation: limit('regulation', 'przepisów') },
  ],
  [
    'standard',
    {
      noun: ['Standard', 'Norma'],
      control: ['Clause or control', 'Wymaganie normy'],
      limitation: limit('standard', 'normy'),
    },
  ],
  [
    'criteria',
    {
      noun: ['Criteria', 'Kryteria'],
      control: ['Criterion', 'Kryterium'],
      limitation: limit('set of criteria', 'zestawu kryteriów'),
    },
  ],
  [
    'framework',
    {
      noun: ['Framework', 'Standard'],
      control: ['Subcategory', 'Podkategoria'],
      limitation: limit('framework', 'standardu'),
    },
  ],
]);

/** Throws for a key that the catalogue does not have. */
export function getFrameworkTerms(key: string): FrameworkTerms {
  const kind = frameworkCatalogue.find((one) => one.key === key)?.kind;
  const terms = kind && termsByKind.get(kind);
  if (terms === undefined) throw new TypeError(`no terms for framework ${key}`);
  return terms;
}
