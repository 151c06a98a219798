import type { ComplianceStatus, RequirementStatus } from '@tenantscope/contract';
import { requirementCatalogue } from '../catalogue/requirement.ts';
import type { Words } from './language.ts';
import type { ReportReading } from './reading.ts';

const dayMs = 86_400_000;

/** What holds for every report. */
export function standingLimitations({ toMs, knownThroughMs }: ReportReading): Words[] {
  const isPast = knownThroughMs - toMs > 2 * dayMs;
  return [
    [
      'This is evidence from the connected systems. It is not legal advice and no certificate.',
      'To dowody z podłączonych systemów. Nie są poradą prawną ani certyfikatem.',
    ],
    ...(isPast
      ? [
          [
            'The period ended some time ago: statuses are evaluated for its end from what is known now, and earlier values of records that changed since are not rebuilt.',
            'Okres zakończył się jakiś czas temu: statusy oceniono na jego koniec na podstawie obecnej wiedzy, a wcześniejszych wartości zmienionych pozycji nie odtworzono.',
          ] as const,
        ]
      : []),
  ];
}

/** Sources without which some of these requirements could not be looked at. */
export function silentSources(requirements: readonly RequirementStatus[]): Words[] {
  const silent = new Set(requirements.filter(({ evaluation }) => evaluation === 'no_data').map(({ key }) => key));
  const sources = requirementCatalogue.filter(({ key }) => silent.has(key)).flatMap((one) => one.sources);
  if (sources.length === 0) return [];
  const named = [...new Set(sources)].sort().join(', ');
  return [
    [
      `Requirements that could not be evaluated: ${silent.size}. At least one of these sources is missing or out of date: ${named}.`,
      `Wymagań, których nie udało się ocenić: ${silent.size}. Brakuje co najmniej jednego z tych źródeł lub jest ono nieaktualne: ${named}.`,
    ],
  ];
}

export function noneSelected({ frameworks }: ComplianceStatus): Words[] {
  return frameworks.some(({ selected }) => selected)
    ? []
    : [
        [
          'Nobody has declared which frameworks apply, so that all of the catalogue are shown.',
          'Nikt nie zadeklarował, które ramy obowiązują, dlatego pokazano wszystkie ramy z katalogu.',
        ],
      ];
}

export const missingHistory: Words = [
  'No snapshot was taken before the end of the period: what changed cannot be said.',
  'Przed końcem okresu nie wykonano migawki: nie można powiedzieć, co się zmieniło.',
];
