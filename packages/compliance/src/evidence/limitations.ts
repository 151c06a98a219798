import { formatCell } from '@tenantscope/report';
import type { LogHistory } from '@tenantscope/store/compliance';
import type { Pseudonymisation } from './pack-request.ts';
import type { SourceCoverage } from './source-coverage.ts';

/** A limitation of the pack, in both languages. */
export type Limitation = { readonly en: string; readonly pl: string };

/** Limitations that always apply to these sections. */
const sectionLimitations: readonly { readonly sections: readonly string[]; readonly text: Limitation }[] = [
  {
    sections: ['inventory', 'fria_systems'],
    text: {
      en: 'Changes of sponsors leave no audit event: earlier accountable persons follow only from successive imports.',
      pl: 'Zmiany sponsorów nie pozostawiają zdarzenia w dzienniku: kto odpowiadał wcześniej, wiadomo tylko z kolejnych importów.',
    },
  },
  {
    sections: ['inventory', 'fria_systems'],
    text: {
      en: 'Drafts that were never published and bots of the first Copilot Studio version do not appear in the platform inventories.',
      pl: 'Nieopublikowane wersje robocze oraz boty pierwszej wersji Copilot Studio nie występują w ewidencjach platform.',
    },
  },
  {
    sections: ['inventory', 'permissions', 'store_shelf', 'third_party_apps', 'ai_app_reach', 'data_restrictions'],
    text: {
      en: 'State sections list everything that existed at some time in the period, with the latest values; earlier values of changed records are not reconstructed.',
      pl: 'Sekcje stanu obejmują to, co istniało w okresie, z ostatnio znanymi wartościami; wcześniejsze wartości zmienionych pozycji nie są odtwarzane.',
    },
  },
  {
    sections: ['permissions'],
    text: {
      en: 'Permissions that an agent declares in its package are shown next to the granted ones; a declaration alone gives no access.',
      pl: 'Uprawnienia zadeklarowane w pakiecie agenta podano obok przyznanych; sama deklaracja nie daje dostępu.',
    },
  },
  {
    sections: ['instruction_changes'],
    text: {
      en: 'Instructions are compared between successive imports: the exact time of a change in between is unknown.',
      pl: 'Instrukcje są porównywane między kolejnymi importami: dokładna chwila zmiany pomiędzy nimi nie jest znana.',
    },
  },
  {
    sections: ['threat_events', 'activity_summary'],
    text: {
      en: 'Texts of prompts and responses are not in the audit records and not in this pack.',
      pl: 'Treści poleceń i odpowiedzi nie ma w zapisach audytu ani w tym pakiecie.',
    },
  },
  {
    sections: ['requirement_status'],
    text: {
      en: 'Statuses of requirements are those of the newest snapshot at or before the end of the period; without one the section is empty. The listed paths return subjects as of the time of the request, which may differ.',
      pl: 'Statusy wymagań pochodzą z ostatniej migawki wykonanej do końca okresu; jeśli jej nie ma, sekcja jest pusta. Podane ścieżki zwracają pozycje według stanu z chwili zapytania, który może być inny.',
    },
  },
  {
    sections: ['exceptions', 'attestation_history'],
    text: {
      en: 'Attestations and exceptions are statements of persons. The service records who attests or approves and who wrote them; it does not verify them or read the referenced documents.',
      pl: 'Poświadczenia i odstępstwa są oświadczeniami osób. Usługa zapisuje, kto je złożył i kto je wprowadził; nie sprawdza ich treści i nie czyta wskazanych dokumentów.',
    },
  },
  {
    sections: ['third_party_apps'],
    text: {
      en: 'Type of ICT service, contract and provider code are shown where recorded; this section is not the register of information.',
      pl: 'Typ usługi ICT, umowę i kod dostawcy podano tam, gdzie je odnotowano; ta sekcja nie jest rejestrem informacji.',
    },
  },
];

/** A time, in both languages. */
export function formatInstant(ms: number): Limitation {
  const instant = new Date(ms).toISOString();
  return { en: formatCell(instant, 'instant', 'en'), pl: formatCell(instant, 'instant', 'pl') };
}

/** The first limitation of a document whose period begins before the tenant was connected. */
export function describeConnection(fromMs: number, connectedAtMs: number | null): Limitation[] {
  if (connectedAtMs === null || fromMs >= connectedAtMs) return [];
  const { en, pl } = formatInstant(connectedAtMs);
  return [
    {
      en: `The period begins before this tenant was connected on ${en}: earlier activity is included only where it was imported later.`,
      pl: `Okres zaczyna się przed podłączeniem organizacji (${pl}): wcześniejszą aktywność ujęto tylko wtedy, gdy zaimportowano ją później.`,
    },
  ];
}

/** What pseudonyms do not hide, and who can resolve them. */
function describePseudonyms(pseudonymisation: Pseudonymisation | null): Limitation[] {
  if (pseudonymisation === null) return [];
  return [
    {
      en: 'Persons are replaced by pseudonyms, which differ from those of every other pack. A part of a name, a nickname or an inflected name in a free text can remain; the order of rows is that of the original values.',
      pl: 'Osoby zastąpiono pseudonimami, innymi niż w każdym innym pakiecie. W tekstach swobodnych może pozostać część imienia lub nazwiska, zdrobnienie albo forma odmieniona; wiersze zachowują kolejność wartości pierwotnych.',
    },
    pseudonymisation.recipientKey === null
      ? {
          en: 'No key to the pseudonyms was requested: they cannot be resolved.',
          pl: 'Nie zażądano klucza do pseudonimów: nie da się ich rozszyfrować.',
        }
      : {
          en: 'The section pseudonym_key is encrypted for the key that the requester sent: only its holder can resolve the pseudonyms.',
          pl: 'Sekcję pseudonym_key zaszyfrowano dla klucza przesłanego przez zamawiającego: tylko jego posiadacz może rozszyfrować pseudonimy.',
        },
  ];
}

/** Earlier states of records are not stored: the rest of a section is read from the present ones, in which a row may be before the position. */
function describeChanges(continuedFromMs: number | null, coverage: readonly SourceCoverage[]): Limitation[] {
  if (continuedFromMs === null) return [];
  // Rows of the log never change, and those that were stored since are left out.
  const changed = coverage
    .filter(({ source, newestAt }) => !/^logs(\/|$)/.test(source) && Date.parse(newestAt ?? '') > continuedFromMs)
    .map(({ source }) => source);
  if (changed.length === 0) return [];
  return [
    {
      en: `Records of these sources have been stored since the first part of this section: ${changed.join(', ')}. Rows whose records changed may be missing from all parts, or be in two of them. For one consistent state, request the section from its beginning.`,
      pl: `Od pierwszej części tej sekcji zapisano dane z tych źródeł: ${changed.join(', ')}. Pozycji, których dane się zmieniły, może brakować we wszystkich częściach albo mogą wystąpić dwukrotnie. Aby otrzymać jeden spójny stan, należy pobrać sekcję od początku.`,
    },
  ];
}

/** Limitations of every pack with these sections, and limitations of this tenant's sources. */
export function listLimitations(given: {
  readonly sections: readonly string[];
  readonly coverage: readonly SourceCoverage[];
  readonly history: LogHistory;
  readonly fromMs: number;
  readonly connectedAtMs: number | null;
  readonly pseudonymisation: Pseudonymisation | null;
  /** Through which time the first part of a continued section had all records; null where it is the first part. */
  readonly continuedFromMs: number | null;
}): Limitation[] {
  const always = sectionLimitations
    .filter(({ sections }) => sections.some((key) => given.sections.includes(key)))
    .map(({ text }) => text);
  const missing = given.coverage.filter(({ coverage }) => coverage === 'missing').map(({ source }) => source);
  const stale = given.coverage
    .filter(({ coverage }) => coverage === 'stale' || coverage === 'disabled')
    .map(({ source }) => source);
  const gaps = given.coverage.filter(({ coverage }) => coverage === 'partial').map(({ source }) => source);
  const needsLog = given.coverage.some(({ source }) => source === 'logs');
  return [
    ...describeConnection(given.fromMs, given.connectedAtMs),
    ...describePseudonyms(given.pseudonymisation),
    ...describeChanges(given.continuedFromMs, given.coverage),
    ...always,
    ...(missing.length > 0
      ? [
          {
            en: `These sources have delivered no data, so the data based on them is empty: ${missing.join(', ')}.`,
            pl: `Te źródła nie dostarczyły danych, dlatego oparte na nich pozycje są puste: ${missing.join(', ')}.`,
          },
        ]
      : []),
    ...(stale.length > 0
      ? [
          {
            en: `These sources are disabled or have reported nothing for more than 72 hours, so later facts are not included: ${stale.join(', ')}.`,
            pl: `Te źródła są wyłączone lub od ponad 72 godzin niczego nie zgłosiły, dlatego późniejszych faktów nie ujęto: ${stale.join(', ')}.`,
          },
        ]
      : []),
    ...(gaps.length > 0
      ? [
          {
            en: `These sources reported gaps: ${gaps.join(', ')}. The gaps are listed in metadata.sourceStatus.`,
            pl: `Te źródła zgłosiły luki: ${gaps.join(', ')}. Luki wymieniono w metadata.sourceStatus.`,
          },
        ]
      : []),
    ...(needsLog && given.history.oldestMs !== null && given.history.oldestMs > given.fromMs
      ? [
          {
            en: `Log rows of this tenant are retained since ${formatTime(given.history.oldestMs)}, which is after the period begins: earlier events are included only where they were imported later.`,
            pl: `Wpisy dziennika tej organizacji są przechowywane od ${formatTime(given.history.oldestMs)}, czyli krócej niż trwa okres: wcześniejsze zdarzenia ujęto tylko wtedy, gdy zaimportowano je później.`,
          },
        ]
      : []),
  ];
}

const formatTime = (ms: number): string => new Date(ms).toISOString();
