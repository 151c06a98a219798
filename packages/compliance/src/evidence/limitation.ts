import type { LogHistory } from '@tenantscope/store';
import type { SourceCoverage } from './source-coverage.ts';

/** What the pack cannot show, in both languages. */
export type Limitation = { readonly en: string; readonly pl: string };

/** By the sections they concern. */
const standing: readonly { readonly sections: readonly string[]; readonly says: Limitation }[] = [
  {
    sections: ['inventory', 'fria_systems'],
    says: {
      en: 'Changes of sponsors leave no audit event: who was accountable earlier is known only from one import to the next.',
      pl: 'Zmiany sponsorów nie pozostawiają zdarzenia w dzienniku: kto odpowiadał wcześniej, wiadomo tylko z kolejnych importów.',
    },
  },
  {
    sections: ['inventory', 'fria_systems'],
    says: {
      en: 'Drafts that were never published and bots of the first Copilot Studio version do not appear in the platform inventories.',
      pl: 'Nieopublikowane wersje robocze oraz boty pierwszej wersji Copilot Studio nie występują w ewidencjach platform.',
    },
  },
  {
    sections: ['inventory', 'permissions', 'store_shelf', 'third_party_apps', 'ai_app_reach', 'data_restrictions'],
    says: {
      en: 'State sections hold what existed at some time in the period, with its values as last known; earlier values of a record that changed are not rebuilt.',
      pl: 'Sekcje stanu obejmują to, co istniało w okresie, z ostatnio znanymi wartościami; wcześniejsze wartości zmienionych pozycji nie są odtwarzane.',
    },
  },
  {
    sections: ['permissions'],
    says: {
      en: 'What an agent declares in its package is shown beside what it was granted; a declaration alone gives no access.',
      pl: 'Uprawnienia zadeklarowane w pakiecie agenta podano obok przyznanych; sama deklaracja nie daje dostępu.',
    },
  },
  {
    sections: ['instruction_changes'],
    says: {
      en: 'Instructions are compared from one import to the next: when exactly they changed in between is not known.',
      pl: 'Instrukcje są porównywane między kolejnymi importami: dokładna chwila zmiany pomiędzy nimi nie jest znana.',
    },
  },
  {
    sections: ['threat_events', 'activity_summary'],
    says: {
      en: 'Texts of prompts and answers are not in the audit records and not in this pack.',
      pl: 'Treści poleceń i odpowiedzi nie ma w zapisach audytu ani w tym pakiecie.',
    },
  },
  {
    sections: ['third_party_apps'],
    says: {
      en: 'Type of ICT service, contract and provider code are shown where they were recorded; this section is not the register of information.',
      pl: 'Typ usługi ICT, umowę i kod dostawcy podano tam, gdzie je odnotowano; ta sekcja nie jest rejestrem informacji.',
    },
  },
];

/** What holds for every pack with these sections, and what this tenant's sources lack. */
export function limitationsOf(given: {
  readonly sections: readonly string[];
  readonly coverage: readonly SourceCoverage[];
  readonly history: LogHistory;
  readonly fromMs: number;
}): Limitation[] {
  const always = standing
    .filter(({ sections }) => sections.some((key) => given.sections.includes(key)))
    .map(({ says }) => says);
  const missing = given.coverage.filter(({ coverage }) => coverage === 'missing').map(({ source }) => source);
  const gaps = given.coverage.filter(({ coverage }) => coverage === 'partial').map(({ source }) => source);
  const needsLog = given.coverage.some(({ source }) => source === 'logs');
  return [
    ...always,
    ...(missing.length > 0
      ? [
          {
            en: `Nothing has arrived from these sources, so that what rests on them is empty: ${missing.join(', ')}.`,
            pl: `Z tych źródeł nic nie wpłynęło, dlatego oparte na nich dane są puste: ${missing.join(', ')}.`,
          },
        ]
      : []),
    ...(gaps.length > 0
      ? [
          {
            en: `These sources reported gaps: ${gaps.join(', ')}. metadata.sourceStatus names them.`,
            pl: `Te źródła zgłosiły luki: ${gaps.join(', ')}. Wymienia je metadata.sourceStatus.`,
          },
        ]
      : []),
    ...(needsLog && given.history.oldestMs !== null && given.history.oldestMs > given.fromMs
      ? [
          {
            en: `Log rows of this tenant are kept since ${show(given.history.oldestMs)}, later than the period begins: earlier events are here only as far as they were imported afterwards.`,
            pl: `Wpisy dziennika tej organizacji są przechowywane od ${show(given.history.oldestMs)}, później niż początek okresu: wcześniejsze zdarzenia są tu tylko w zakresie późniejszego importu.`,
          },
        ]
      : []),
  ];
}

const show = (ms: number): string => new Date(ms).toISOString();
