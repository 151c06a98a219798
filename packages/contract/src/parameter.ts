/** Most values one comma list may hold. */
export const listValuesMax = 50;

/** Characters of one value of an open vocabulary. */
export const filterValueMax = 1_024;

/** Characters of a whole list of a closed vocabulary. */
export const choicesTextMax = 1_024;

/** Characters of all filters of a request together: a cursor made of them still fits into an address. */
export const filtersTextMax = 45_056;

/** Longest text that is looked at as a time. */
export const instantTextMax = 40;

export const limitDefault = 50;
export const limitMax = 1000;

interface Words {
  /** What the parameter does, a sentence. Allowed values and the example are added by `describe`. */
  readonly words: string;
  /** The same in fewer words, for tools; nothing where the name says it. */
  readonly brief?: string;
  readonly example: string;
}

/** A comma list over an open vocabulary: a value nobody has matches nothing. */
export interface Texts extends Words {
  readonly kind: 'texts';
  /** Letter case does not matter when comparing. */
  readonly anyCase: boolean;
}

/** A comma list over a closed vocabulary: an unknown value is refused. */
export interface Choices<Value extends string = string> extends Words {
  readonly kind: 'choices';
  readonly allowed: readonly Value[];
}

export interface Flag extends Words {
  readonly kind: 'flag';
}

/** One value of a closed vocabulary. Other names lead to it. */
export interface Choice<Value extends string = string> extends Words {
  readonly kind: 'choice';
  readonly allowed: readonly Value[];
  readonly aliases: Readonly<Record<string, Value>>;
}

/** One text of an open vocabulary. */
export interface Text extends Words {
  readonly kind: 'text';
}

export interface Instant extends Words {
  readonly kind: 'instant';
}

export interface Sort extends Words {
  readonly kind: 'sort';
  /** The first is the default. */
  readonly allowed: readonly string[];
}

export interface Limit extends Words {
  readonly kind: 'limit';
}

export interface Cursor extends Words {
  readonly kind: 'cursor';
}

export type Filter = Texts | Choices | Flag;
export type Parameter = Filter | Choice | Text | Instant | Sort | Limit | Cursor;

/** What a parameter's text becomes where it is asked for by itself. Instants are epoch milliseconds. */
export type ParameterValue<One extends Parameter> = One extends Filter
  ? FilterValues<One>
  : One extends Choice<infer Value>
    ? Value
    : One extends Instant | Limit
      ? number
      : string;

/** What a filter's text becomes: always a list, OR inside. */
export type FilterValues<One extends Filter> =
  One extends Choices<infer Value> ? readonly Value[] : One extends Flag ? readonly boolean[] : readonly string[];

export function texts(words: string, example: string, options: { anyCase?: boolean; brief?: string } = {}): Texts {
  return { kind: 'texts', words, example, anyCase: false, ...options };
}

export function choices<const Value extends string>(
  allowed: readonly Value[],
  words: string,
  example: string,
  options: { brief?: string } = {},
): Choices<Value> {
  return { kind: 'choices', allowed, words, example, ...options };
}

export function flag(words: string, example: 'true' | 'false' = 'true', options: { brief?: string } = {}): Flag {
  return { kind: 'flag', words, example, ...options };
}

export function choice<const Value extends string>(
  allowed: readonly Value[],
  words: string,
  example: string,
  options: { brief?: string; aliases?: Readonly<Record<string, NoInfer<Value>>> } = {},
): Choice<Value> {
  return { kind: 'choice', allowed, words, example, aliases: {}, ...options };
}

export function text(words: string, example: string, options: { brief?: string } = {}): Text {
  return { kind: 'text', words, example, ...options };
}

export function instant(words: string, example: string, options: { brief?: string } = {}): Instant {
  return { kind: 'instant', words, example, ...options };
}

export function cursor(words: string, options: { brief?: string } = {}): Cursor {
  return { kind: 'cursor', words, example: '0', ...options };
}

/** The description callers read: what it does, what is allowed, an example. */
export function describe(parameter: Parameter): string {
  return `${parameter.words} ${allowance(parameter)} Example: ${parameter.example}`;
}

/** The same for a tool's argument, in fewer characters: agents pay for each at every connection. */
export function describeBriefly(parameter: Parameter): string {
  const { brief = parameter.words, kind, example } = parameter;
  const shown = kind === 'instant' ? example.slice(0, '2026-11-01'.length) : example;
  return `${brief} Allowed: ${briefAllowance(parameter)}. Example: ${shown}`.trimStart();
}

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
      return 'nextCursor as received';
  }
}

function allowance(parameter: Parameter): string {
  switch (parameter.kind) {
    case 'texts':
      return `Comma-separated, at most ${listValuesMax} values, compared ${parameter.anyCase ? 'without regard to letter case' : 'exactly'}; a value nobody has matches nothing.`;
    case 'choices':
      return `Comma-separated. Allowed: ${parameter.allowed.join(', ')}.`;
    case 'choice':
      return `Allowed: ${parameter.allowed.join(', ')}.`;
    case 'text':
      return `Allowed: any text of at most ${filterValueMax} characters.`;
    case 'flag':
      return 'Allowed: true, false.';
    case 'instant':
      return 'ISO 8601; without a zone it is read as UTC; the bound itself is included. Epoch seconds or milliseconds are read too.';
    case 'sort':
      return `Ties are broken by id. Allowed: ${parameter.allowed.join(', ')}; the first is the default.`;
    case 'limit':
      return `Allowed: 1 to ${limitMax}; default ${limitDefault}.`;
    case 'cursor':
      return 'Allowed: a nextCursor or resumeCursor as it was received, or 0 to start.';
  }
}
