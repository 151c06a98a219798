/** Most values one comma list may hold. */
export const listValuesMax = 50;

/** Characters of one value of an open vocabulary. */
export const filterValueMax = 1_024;

/** Characters of a whole list of a closed vocabulary. */
export const choicesTextMax = 1_024;

/** Characters of all filters of a request together, so that a cursor containing them still fits into a URL. */
export const filtersTextMax = 45_056;

/** Longest text that is parsed as a time. */
export const instantTextMax = 40;

export const limitDefault = 50;
export const limitMax = 1000;

/** Bytes of documents at which a page ends before its limit. A page has at least one row. */
export const pageMaxBytes = 8_388_608;

interface ParameterText {
  /** What the parameter does, a sentence. Allowed values and the example are added by `describe`. */
  readonly description: string;
  /** A shorter description for MCP tools; empty if the name suffices. */
  readonly brief?: string;
  readonly example: string;
}

/** A comma-separated list of texts that are not listed here. */
export interface Texts extends ParameterText {
  readonly kind: 'texts';
  /** Whether values are compared case-insensitively. */
  readonly caseInsensitive: boolean;
  /** Whether a value that the service does not know is an error. Otherwise it matches nothing. */
  readonly refusesUnknown?: boolean;
  /** The path of the member of a row that it is compared with, where few different values occur: a page notes a value that never did. */
  readonly vocabulary?: string;
  /** Whether a value may contain commas, as ids of sites do: a text with commas is then compared as a whole, too. */
  readonly hasCommas?: true;
  /** Whether values are IP addresses: every notation of one is compared as its canonical form, which rows have. */
  readonly isAddress?: true;
}

/** A comma-separated list over a closed vocabulary: an unknown value is rejected. */
export interface Choices<Value extends string = string> extends ParameterText {
  readonly kind: 'choices';
  readonly allowed: readonly Value[];
}

export interface Flag extends ParameterText {
  readonly kind: 'flag';
}

/** One value of a closed vocabulary, which may have aliases. */
export interface Choice<Value extends string = string> extends ParameterText {
  readonly kind: 'choice';
  readonly allowed: readonly Value[];
  readonly aliases: Readonly<Record<string, Value>>;
}

/** One text of an open vocabulary. */
export interface Text extends ParameterText {
  readonly kind: 'text';
}

export interface Instant extends ParameterText {
  readonly kind: 'instant';
}

export interface Sort extends ParameterText {
  readonly kind: 'sort';
  /** The first is the default. */
  readonly allowed: readonly string[];
}

export interface Limit extends ParameterText {
  readonly kind: 'limit';
}

export interface Cursor extends ParameterText {
  readonly kind: 'cursor';
}

export type Filter = Texts | Choices | Flag;
export type Parameter = Filter | Choice | Text | Instant | Sort | Limit | Cursor;

/** The parsed value of a parameter. Instants are epoch milliseconds. */
export type ParameterValue<One extends Parameter> = One extends Filter
  ? FilterValues<One>
  : One extends Choice<infer Value>
    ? Value
    : One extends Instant | Limit
      ? number
      : string;

/** The parsed value of a filter: always a list, combined with OR. */
export type FilterValues<One extends Filter> =
  One extends Choices<infer Value> ? readonly Value[] : One extends Flag ? readonly boolean[] : readonly string[];

export function texts(
  description: string,
  example: string,
  options: Partial<
    Pick<Texts, 'caseInsensitive' | 'refusesUnknown' | 'vocabulary' | 'hasCommas' | 'isAddress' | 'brief'>
  > = {},
): Texts {
  return { kind: 'texts', description, example, caseInsensitive: false, ...options };
}

export function choices<const Value extends string>(
  allowed: readonly Value[],
  description: string,
  example: string,
  options: { brief?: string } = {},
): Choices<Value> {
  return { kind: 'choices', allowed, description, example, ...options };
}

export function flag(description: string, example: 'true' | 'false' = 'true', options: { brief?: string } = {}): Flag {
  return { kind: 'flag', description, example, ...options };
}

export function choice<const Value extends string>(
  allowed: readonly Value[],
  description: string,
  example: string,
  options: { brief?: string; aliases?: Readonly<Record<string, NoInfer<Value>>> } = {},
): Choice<Value> {
  return { kind: 'choice', allowed, description, example, aliases: {}, ...options };
}

export function text(description: string, example: string, options: { brief?: string } = {}): Text {
  return { kind: 'text', description, example, ...options };
}

export function instant(description: string, example: string, options: { brief?: string } = {}): Instant {
  return { kind: 'instant', description, example, ...options };
}

export function cursor(description: string, options: { brief?: string } = {}): Cursor {
  return { kind: 'cursor', description, example: '0', ...options };
}

/** The full description of a parameter: purpose, allowed values, an example. */
export function describeParameter(parameter: Parameter): string {
  return `${describePurpose(parameter)} Example: ${parameter.example}`;
}

/** Purpose and allowed values, where the example has a place of its own. */
export const describePurpose = (parameter: Parameter): string => `${parameter.description} ${allowance(parameter)}`;

/** The description of a tool argument: short, since agents read it at every connection. */
export function describeToolArgument(parameter: Parameter): string {
  const { brief = parameter.description, example } = parameter;
  return `${brief} Allowed: ${briefAllowance(parameter)}; e.g. ${shortenExample(parameter, example)}`.trimStart();
}

const guidRest = /(?<=^[\da-f]{8}-)[\da-f]{4}-.{22}$/;

/** Midnight as a date, and the beginning of a GUID. */
const shortenExample = ({ kind }: Parameter, example: string): string =>
  kind === 'instant' ? shortenInstant(example) : example.replace(guidRest, '…');

/** Midnight as a date, which is read as the same instant. */
export const shortenInstant = (text: string): string => text.replace(/T00:00:00Z$/, '');

function briefAllowance(parameter: Parameter): string {
  switch (parameter.kind) {
    case 'texts':
    case 'text':
      return 'any';
    case 'choices':
    case 'choice':
    case 'sort':
      return parameter.allowed.join(', ');
    case 'flag':
      return 'true, false';
    case 'instant':
      return 'ISO 8601';
    case 'limit':
      return `1-${limitMax}, default ${limitDefault}`;
    case 'cursor':
      return 'unchanged nextCursor';
  }
}

function comparison({ isAddress, caseInsensitive }: Texts): string {
  if (isAddress) return 'as single addresses in any notation, not as ranges';
  return caseInsensitive ? 'case-insensitively' : 'exactly';
}

function allowance(parameter: Parameter): string {
  switch (parameter.kind) {
    case 'texts':
      return `Comma-separated, at most ${listValuesMax} values, compared ${comparison(parameter)}; an unknown value ${parameter.refusesUnknown ? 'is refused' : 'matches nothing'}.${parameter.hasCommas ? ' A value with commas is found, too; repeat the parameter for several.' : ''}`;
    case 'choices':
      return `Comma-separated. Allowed: ${parameter.allowed.join(', ')}.`;
    case 'choice':
      return `Allowed: ${parameter.allowed.join(', ')}.`;
    case 'text':
      return `Allowed: any text of at most ${filterValueMax} characters.`;
    case 'flag':
      return 'Allowed: true, false.';
    case 'instant':
      return 'Allowed: ISO 8601 (UTC and 00:00 by default), or epoch seconds or milliseconds; inclusive.';
    case 'sort':
      return `Ties are broken by id. Allowed: ${parameter.allowed.join(', ')}; the first is the default.`;
    case 'limit':
      return `Allowed: 1 to ${limitMax}; default ${limitDefault}.`;
    case 'cursor':
      return 'Allowed: an unchanged nextCursor or resumeCursor, or 0 to start.';
  }
}
