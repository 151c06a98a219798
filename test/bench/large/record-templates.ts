import type { Company, DemoRecord, Person, Random } from '@tenantscope/demo';

/** A provider record, split where records of one kind differ: texts and, between two of them, a value. */
export interface RecordTemplate {
  readonly format: DemoRecord['format'];
  readonly texts: readonly string[];
  readonly slots: readonly Slot[];
}

/** What a new record has at a place. Equal places of one record have equal values. */
type Slot =
  | { readonly kind: 'actor'; readonly person: number; readonly render: (user: number) => string }
  | { readonly kind: 'file'; readonly file: number; readonly render: (file: number) => string }
  | { readonly kind: 'guid'; readonly guid: number }
  | { readonly kind: 'address'; readonly address: number }
  | { readonly kind: 'time'; readonly deltaMs: number; readonly length: number; readonly zone: string };

/** How many users, files and addresses the records name. */
export interface Population {
  readonly users: number;
  readonly files: number;
  readonly addresses: number;
}

export const userAddress = (user: number): string => `user${user}@contoso.example`;
export const userGuid = (user: number): string => `00000000-0000-4000-8000-${user.toString(16).padStart(12, '0')}`;
export const fileGuid = (file: number): string => `00000000-0000-4000-8001-${file.toString(16).padStart(12, '0')}`;
export const fileUrl = (file: number): string => `https://contoso.example/${file}`;
/** Of the block for benchmarks, RFC 2544. */
const networkAddress = (address: number): string =>
  `198.${18 + ((address >> 16) & 1)}.${(address >> 8) & 255}.${address & 255}`;

/** A number in [1, count], k with a probability in proportion to 1/k: a few are in most records, most in few. */
export const drawZipf = (random: Random, count: number): number =>
  Math.min(count, Math.floor((count + 1) ** random.next()));

/** Splits the records of a company. GUIDs of a single record, such as its id, are new in each record created from it. */
export function createTemplates(company: Company, records: readonly DemoRecord[]): RecordTemplate[] {
  const companyTexts = describeCompanyTexts(company);
  const texts = records.map(({ record }) => JSON.stringify(record));
  const uses = new Map<string, number>();
  for (const text of texts)
    for (const guid of new Set(text.match(guidPattern) ?? [])) uses.set(guid, (uses.get(guid) ?? 0) + 1);
  const isUnique = (guid: string) => uses.get(guid) === 1;
  return records.map((record, index) => splitRecord(record, texts[index] as string, { companyTexts, isUnique }));
}

interface Splitting {
  readonly companyTexts: ReadonlyMap<string, CompanyText>;
  readonly isUnique: (guid: string) => boolean;
}

type CompanyText = (record: NumberedTexts) => Slot;

/** Numbers the different texts of a record. */
type NumberedTexts = (text: string) => number;

const guidPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Everything that may differ: GUIDs, times, addresses of documents, of people and of the networks for documentation, and ids of people. */
const valuePattern = new RegExp(
  [
    guidPattern.source,
    String.raw`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|\+00:00)?`,
    'https://[^"]+',
    String.raw`[\w.#-]+@[\w.-]+`,
    String.raw`\b(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}\b`,
    String.raw`\b(?:1003200[0-9a-f]{9}|00u[0-9a-z]{17}|1\d{20})\b`,
  ].join('|'),
  'gi',
);

function splitRecord(
  { format, occurredAtMs }: DemoRecord,
  text: string,
  { companyTexts, isUnique }: Splitting,
): RecordTemplate {
  const numbers = new Map<string, number>();
  const numberOf: NumberedTexts = (found) => {
    const number = numbers.get(found) ?? numbers.size;
    numbers.set(found, number);
    return number;
  };
  const texts: string[] = [];
  const slots: Slot[] = [];
  let textAt = 0;
  for (const match of text.matchAll(valuePattern)) {
    const [found] = match;
    const slot =
      companyTexts.get(found.toLowerCase())?.(numberOf) ?? readValue(found, occurredAtMs, numberOf, isUnique);
    if (slot === null) continue;
    texts.push(text.slice(textAt, match.index));
    slots.push(slot);
    textAt = match.index + found.length;
  }
  return { format, texts: [...texts, text.slice(textAt)], slots };
}

function readValue(
  found: string,
  occurredAtMs: number,
  numberOf: NumberedTexts,
  isUnique: (guid: string) => boolean,
): Slot | null {
  if (/^20..-..-..T/.test(found)) {
    const [, digits = '', zone = ''] = /^(.{19}(?:\.\d+)?)(.*)$/.exec(found) ?? [];
    const deltaMs = Date.parse(`${digits.slice(0, 23)}Z`) - occurredAtMs;
    // Other times, as that of an app's registration, stay.
    return Math.abs(deltaMs) > longestEventMs ? null : { kind: 'time', deltaMs, length: digits.length, zone };
  }
  if (/^[\d.]{7,15}$/.test(found)) return { kind: 'address', address: numberOf(found) };
  return isUnique(found) ? { kind: 'guid', guid: numberOf(found) } : null;
}

const longestEventMs = 86_400_000;

function describeCompanyTexts(company: Company): Map<string, CompanyText> {
  const companyTexts = new Map<string, CompanyText>();
  const add = (text: string, slot: CompanyText) => companyTexts.set(text.toLowerCase(), slot);
  for (const person of [...company.employees, ...company.guests]) {
    for (const [text, render] of personTexts(person))
      add(text, (numberOf) => ({ kind: 'actor', person: numberOf(person.id), render }));
  }
  for (const file of company.files) {
    add(file.id, (numberOf) => ({ kind: 'file', file: numberOf(file.id), render: fileGuid }));
    add(file.url, (numberOf) => ({ kind: 'file', file: numberOf(file.id), render: fileUrl }));
  }
  return companyTexts;
}

/** The names of a person in records, and what the names of a user are in their place. */
const personTexts = (person: Person): readonly (readonly [string, (user: number) => string])[] => [
  [person.userPrincipalName, userAddress],
  [person.id, userGuid],
  [person.puid, (user) => `1003200${user.toString(16).toUpperCase().padStart(9, '0')}`],
  [person.oktaId, (user) => `00u${user.toString(36).padStart(17, '0')}`],
  [person.googleProfileId, (user) => String(10n ** 20n + BigInt(user))],
];

/** A new record of this kind that happened at an instant. */
export function renderRecord(
  { texts, slots }: RecordTemplate,
  { users, files, addresses }: Population,
  random: Random,
  occurredAtMs: number,
): string {
  const guids: string[] = [];
  const numbers: number[] = [];
  const draw = (number: number, count: number): number => {
    numbers[number] ??= drawZipf(random, count);
    return numbers[number];
  };
  const drawGuid = (number: number): string => {
    guids[number] ??= random.guid();
    return guids[number];
  };
  let text = texts[0] as string;
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index] as Slot;
    if (slot.kind === 'time') text += formatTime(occurredAtMs + slot.deltaMs, slot.length) + slot.zone;
    else if (slot.kind === 'guid') text += drawGuid(slot.guid);
    else if (slot.kind === 'address') text += networkAddress(draw(slot.address, addresses));
    else if (slot.kind === 'actor') text += slot.render(draw(slot.person, users));
    else text += slot.render(draw(slot.file, files));
    text += texts[index + 1] as string;
  }
  return text;
}

const formatTime = (ms: number, length: number): string =>
  length === 19
    ? new Date(ms).toISOString().slice(0, 19)
    : new Date(ms).toISOString().slice(0, 23).padEnd(length, '0').slice(0, length);
