import type { ComplianceStatus, RequirementStatus } from '@tenantscope/contract';
import { requirementCatalogue } from '../catalogue/requirement.ts';
import { describeConnection } from '../evidence/limitations.ts';
import { unknownStatus } from '../status/unknown-status.ts';
import type { LocalizedText } from './language.ts';
import { listSourceNames } from './source-labels.ts';

/** The limitation of every report. */
export const generalLimitation: LocalizedText = [
  'This is evidence from the connected systems. It is not legal advice and not a certificate.',
  'Raport zawiera dowody z podłączonych systemów. Nie stanowi porady prawnej ani certyfikatu.',
];

export function listConnectionLimitations(fromMs: number, connectedAtMs: number | null): LocalizedText[] {
  return describeConnection(fromMs, connectedAtMs).map(({ en, pl }) => [en, pl]);
}

/** Lists the sources whose absence prevented the evaluation of requirements. */
export function listMissingSources(requirements: readonly RequirementStatus[]): LocalizedText[] {
  const silent = new Set(
    requirements
      .filter(({ evaluation, status }) => evaluation === 'no_data' && status !== unknownStatus)
      .map(({ key }) => key),
  );
  const sources = requirementCatalogue.filter(({ key }) => silent.has(key)).flatMap((one) => one.sources);
  if (sources.length === 0) return [];
  const [english, polish] = listSourceNames(sources);
  return [
    [
      `Requirements that could not be evaluated: ${silent.size}. At least one of these sources is missing or out of date: ${english}.`,
      `Liczba wymagań, których nie udało się ocenić: ${silent.size}. Co najmniej jedno z tych źródeł jest niedostępne lub nieaktualne: ${polish}.`,
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
