import type { ComplianceStatus, RequirementStatus } from '@tenantscope/contract';
import { requirementCatalogue } from '../catalogue/requirement.ts';
import type { LocalizedText } from './language.ts';
import type { ReportReading } from './report-reading.ts';

const dayMs = 86_400_000;

/** Limitations of every report. */
export function listGeneralLimitations({ toMs, storedThroughMs }: ReportReading): LocalizedText[] {
  const isPast = storedThroughMs - toMs > 2 * dayMs;
  return [
    [
      'This is evidence from the connected systems. It is not legal advice and not a certificate.',
      'Raport zawiera dowody z podłączonych systemów. Nie stanowi porady prawnej ani certyfikatu.',
    ],
    ...(isPast
      ? [
          [
            'The period ended in the past: statuses are evaluated for its end from the data available now; earlier values of records that changed since are not reconstructed.',
            'Okres już się zakończył: statusy oceniono na jego koniec na podstawie obecnie dostępnych danych; wcześniejszych wartości zmienionych pozycji nie odtworzono.',
          ] as const,
        ]
      : []),
  ];
}

/** Lists the sources whose absence prevented the evaluation of requirements. */
export function listMissingSources(requirements: readonly RequirementStatus[]): LocalizedText[] {
  const silent = new Set(requirements.filter(({ evaluation }) => evaluation === 'no_data').map(({ key }) => key));
  const sources = requirementCatalogue.filter(({ key }) => silent.has(key)).flatMap((one) => one.sources);
  if (sources.length === 0) return [];
  const named = [...new Set(sources)].sort().join(', ');
  return [
    [
      `Requirements that could not be evaluated: ${silent.size}. At least one of these sources is missing or out of date: ${named}.`,
      `Liczba wymagań, których nie udało się ocenić: ${silent.size}. Co najmniej jedno z tych źródeł jest niedostępne lub nieaktualne: ${named}.`,
    ],
  ];
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
