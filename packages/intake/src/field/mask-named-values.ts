import { isMaskedName, isSwitch, maskedText } from './mask-secrets.ts';

/**
 * Masks values by the name before them: of parameters of command lines, `-Password "x"`, and of JSON text, `{"Password":"x"}`
 * and `[{"Name":"Password","Value":"x"}]` in either order, also inside of other texts. One pass each.
 */
export function maskNamedValues(text: string): string {
  const withoutParameters = text.includes('-') ? maskParameters(text) : text;
  return withoutParameters.includes(':') ? maskMembers(withoutParameters) : withoutParameters;
}

function maskParameters(text: string): string {
  let masked = '';
  let at = 0;
  parameterName.lastIndex = 0;
  for (let found = parameterName.exec(text); found !== null; found = parameterName.exec(text)) {
    const [, name] = found;
    if (name !== undefined && !isMaskedName(name)) continue;
    const start = parameterName.lastIndex;
    parameterValue.lastIndex = start;
    const value = parameterValue.exec(text)?.[0];
    if (value === undefined || isSwitch(value)) continue;
    masked += text.slice(at, start) + maskedText;
    at = start + value.length;
    parameterName.lastIndex = at;
  }
  return masked + text.slice(at);
}

function maskMembers(text: string): string {
  let masked = '';
  let at = 0;
  const maskFrom = (start: number, end: number, quote: string) => {
    if (isShownValue(text.slice(start, end))) return;
    masked += `${text.slice(at, start)}${quote}${maskedText}${quote}`;
    at = end;
  };
  /** @returns where the members after a name end */
  const maskValuesAfter = (start: number, quote: string) => {
    let end = start;
    nextMember.lastIndex = end;
    for (let next = nextMember.exec(text); next !== null; next = nextMember.exec(text)) {
      const valueStart = nextMember.lastIndex;
      end = findValueEnd(text, valueStart, quote);
      if (valueName.test(next[2] as string)) maskFrom(valueStart, end, quote);
      nextMember.lastIndex = end;
    }
    return end;
  };
  memberName.lastIndex = 0;
  for (let found = memberName.exec(text); found !== null; found = memberName.exec(text)) {
    const [, quote = '', name = ''] = found;
    let end = memberName.lastIndex;
    if (pairName.test(name)) {
      if (!text.startsWith(quote, end)) continue;
      const valueEnd = findValueEnd(text, end, quote);
      if (!isMaskedName(text.slice(end + quote.length, valueEnd - quote.length))) continue;
      end = maskValuesAfter(valueEnd, quote);
    } else if (valueName.test(name)) {
      const before = findValuesBefore(text, end, quote);
      if (before === undefined) continue;
      for (const value of before.values) maskFrom(value.start, value.end, quote);
      end = maskValuesAfter(before.end, quote);
    } else if (isMaskedName(name) && (text.startsWith(quote, end) || digit.test(text[end] ?? ''))) {
      const start = end;
      end = findValueEnd(text, start, quote);
      maskFrom(start, end, quote);
    } else continue;
    memberName.lastIndex = end;
  }
  return masked + text.slice(at);
}

/**
 * Values before the name that masks them: `{"Value":"x","Type":"text","Name":"Password"}`. Of texts, numbers and words only,
 * so that each character is read a limited number of times.
 */
function findValuesBefore(text: string, firstStart: number, quote: string): ValuesBefore | undefined {
  const values: Span[] = [];
  let name = 'value';
  let start = firstStart;
  for (let count = 0; count < membersBeforeMax; count++) {
    const end = text.startsWith(quote, start) ? findValueEnd(text, start, quote) : findWordEnd(text, start);
    if (valueName.test(name)) values.push({ start, end });
    else if (pairName.test(name))
      return isMaskedName(text.slice(start + quote.length, end - quote.length)) ? { values, end } : undefined;
    nextMember.lastIndex = end;
    const next = nextMember.exec(text);
    if (next === null) return undefined;
    name = next[2] as string;
    start = nextMember.lastIndex;
  }
  return undefined;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface ValuesBefore {
  readonly values: readonly Span[];
  readonly end: number;
}

function findWordEnd(text: string, start: number): number {
  word.lastIndex = start;
  return start + (word.exec(text)?.[0].length ?? 0);
}

/** @param quote a quotation mark as it is written at this depth of JSON inside of JSON: with 0, 1, 3 … backslashes */
function findValueEnd(text: string, start: number, quote: string): number {
  const escapes = quote.length - 1;
  const mark = quote.at(-1);
  let depth = 0;
  let isInText = false;
  let backslashes = 0;
  for (let index = start; index < text.length; index++) {
    const character = text[index] as string;
    if (character === '\\') {
      backslashes += 1;
      continue;
    }
    // Of the backslashes before a mark inside of a text, each is written as two at every depth.
    const isQuote = character === mark && backslashes % (2 * (escapes + 1)) === escapes;
    backslashes = 0;
    if (isQuote) isInText = !isInText;
    else if (isInText) continue;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth < 0 || (depth === 0 && character === ',')) return index;
    if (depth === 0 && !isInText && (isQuote || character === '}' || character === ']')) return index + 1;
  }
  return text.length;
}

function isShownValue(value: string): boolean {
  const text = value.replace(/[\\"'\s]/g, '');
  return text === '' || text === 'null' || isSwitch(text);
}

/** `-Password`, `--client-secret=`; the word that begins a parameter has a hyphen before it and none of its own before that. */
const parameterName =
  /(?<![\w-])(?:--?([a-z][\w-]{0,63})(?:\s*[:=]\s*|\s+)|ConvertTo-SecureString\s+(?:-String\s+)?)/gi;
/** In quotes, in brackets, or a word that is no parameter itself; what is cut ends with the text. */
const parameterValue = new RegExp(
  [
    '\\\\["\'][^"\']*(?:["\']|$)',
    '"(?:[^"`\\\\]|[`\\\\][^]?|"")*(?:"|$)',
    "'(?:[^']|'')*(?:'|$)",
    '\\([^()]*\\)?',
    '(?!--?[a-z])[^\\s"\'()][^\\s"\']*',
  ].join('|'),
  'iy',
);
/** A member, at most three levels of JSON inside of JSON. */
const memberName = /(?<!\\)(\\{0,7}["'])([^"'\\]{1,128})\1\s*:\s*/g;
const nextMember = /\s*,\s*(\\{0,7}["'])(\w{1,64})\1\s*:\s*/y;
const pairName = /^(?:name|key|displayname)$/i;
const valueName = /^(?:old|new)?value$/i;
const digit = /\d/;
const word = /[\w.+-]{1,64}/y;
/** With the name itself. */
const membersBeforeMax = 8;
