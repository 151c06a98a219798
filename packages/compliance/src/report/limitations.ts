import type { ComplianceChanges, ComplianceStatus, FrameworkStatus, RequirementStatus } from '@tenantscope/contract';
import { formatCell } from '@tenantscope/report';
import { requirementCatalogue } from '../catalogue/requirement.ts';
import { describeConnection } from '../evidence/limitations.ts';
import { unknownStatus } from '../status/unknown-status.ts';
import type { LocalizedText } from './language.ts';
import type { SectionRows } from './report-reading.ts';
import { listSourceNames } from './source-labels.ts';

/** The limitation of every report. */
export const generalLimitation: LocalizedText = [
  'This is evidence from the connected systems. It is not legal advice and not a certificate.',
  'Raport zawiera dowody z podłączonych systemów. Nie stanowi porady prawnej ani certyfikatu.',
];

export function listConnectionLimitations(fromMs: number, connectedAtMs: number | null): LocalizedText[] {
  return describeConnection(fromMs, connectedAtMs).map(({ en, pl }) => [en, pl]);
}

/** Why requirements have no data: sources, subjects of unknown state, or nothing to measure; each requirement is counted once. */
export function listNoDataLimitations(requirements: readonly RequirementStatus[]): LocalizedText[] {
  const silent = requirements.filter(({ evaluation, status }) => evaluation === 'no_data' && status !== unknownStatus);
  const count = (...reasons: readonly (string | null)[]) =>
    silent.filter(({ reason }) => reasons.includes(reason)).length;
  const bySources = silent.filter(({ reason }) => reason !== 'unknown' && reason !== 'empty_population');
  const [unknown, empty] = [count('unknown'), count('empty_population')];
  return [
    ...(bySources.length === 0 ? [] : [describeSources(bySources)]),
    ...(unknown === 0
      ? []
      : [
          [
            `Requirements that could not be evaluated because the state of half of the subjects or more is unknown: ${unknown}.`,
            `Liczba wymagań, których nie udało się ocenić, ponieważ stan co najmniej połowy obiektów jest nieznany: ${unknown}.`,
          ] as const,
        ]),
    ...(empty === 0
      ? []
      : [
          [
            `Requirements that could not be evaluated because there was nothing to measure: ${empty}.`,
            `Liczba wymagań, których nie udało się ocenić, ponieważ nie było elementów do oceny: ${empty}.`,
          ] as const,
        ]),
  ];
}

function describeSources(requirements: readonly RequirementStatus[]): LocalizedText {
  const keys = new Set(requirements.map(({ key }) => key));
  const sources = requirementCatalogue.filter(({ key }) => keys.has(key)).flatMap((one) => one.sources);
  const [english, polish] = listSourceNames(sources);
  return [
    `Requirements that could not be evaluated for lack of data: ${keys.size}. At least one of these sources is missing, incomplete or out of date: ${english}.`,
    `Liczba wymagań, których nie udało się ocenić z braku danych: ${keys.size}. Co najmniej jedno z tych źródeł jest niedostępne, niekompletne lub nieaktualne: ${polish}.`,
  ];
}

/** What a percentage counts where a smaller one is better: titles name the good state, such metrics the share of the other one. */
export function listPercentLimitations(requirements: readonly RequirementStatus[]): LocalizedText[] {
  return requirements.some(({ thresholds }) => thresholds?.direction === 'lower' && thresholds.unit === 'percent')
    ? [
        [
          'A percentage with a target of "≤" is the share that is not in order.',
          'Wartość w procentach, której cel ma postać „≤”, to odsetek pozycji nieprawidłowych.',
        ],
      ]
    : [];
}

export function listSelectionLimitations({ frameworks }: ComplianceStatus): LocalizedText[] {
  return frameworks.some(({ selected }) => selected)
    ? []
    : [
        [
          'No applicable frameworks have been declared, so all frameworks of the catalogue are shown.',
          'Nie zadeklarowano, które regulacje i standardy obowiązują, dlatego pokazano wszystkie z katalogu.',
        ],
      ];
}

export const noSnapshotLimitation: LocalizedText = [
  'No snapshot was taken before the end of the period, so changes cannot be shown.',
  'Przed końcem okresu nie wykonano migawki, dlatego nie można wykazać zmian.',
];

/** Frameworks whose changes since the snapshot are not shown, because they are not changes of the posture. */
export function listComparisonLimitations(
  frameworks: readonly FrameworkStatus[],
  changes: readonly ComplianceChanges[],
): LocalizedText[] {
  const incomparable = changes.filter(({ comparable, baseline }) => baseline !== null && !comparable);
  const keys = new Set(incomparable.map(({ framework }) => framework));
  const named = frameworks.filter(({ key }) => keys.has(key));
  if (named.length === 0) return [];
  return [
    [
      `Changes since the snapshot are not shown for ${named.map(({ name }) => name).join(', ')}: catalogue, evaluation rules, selection or articles differ, so that the figures are not comparable.`,
      `Nie pokazano zmian od migawki dla: ${named.map(({ namePl }) => namePl).join(', ')}. Katalog, reguły oceny, wybór lub przepisy są inne, więc wartości nie są porównywalne.`,
    ],
  ];
}

/** Where a tenant has more agents than a report counts. */
export function listCountLimitations({ rows, total }: SectionRows): LocalizedText[] {
  if (total <= rows.length) return [];
  const [english, polish] = (['en', 'pl'] as const).map((lang) =>
    [rows.length, total].map((count) => formatCell(count, 'count', lang)),
  ) as [string[], string[]];
  return [
    [
      `Agents are counted and listed from the first ${english[0]} of ${english[1]} in the order of names. Percentages of requirements cover all of them.`,
      `Agenty policzono i wymieniono na podstawie pierwszych ${polish[0]} z ${polish[1]} w kolejności nazw. Odsetki przy wymaganiach obejmują wszystkie.`,
    ],
  ];
}
