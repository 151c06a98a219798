import { isMaskedName, isSwitch, maskedText } from './mask-secrets.ts';

/**
 * Masks values that follow a name in another place than a member: parameters of command lines, `-Password "x"`, and lists of
 * names and values as JSON text, `[{"Name":"Password","Value":"x"}]`, also inside of other texts. One pass each.
 */
export function maskNamedValues(text: string): string {
  const withoutParameters = text.includes('-') ? maskParameters(text) : text;
  return withoutParameters.includes('alue') ? maskPairs(withoutParameters) : withoutParameters;
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

function maskPairs(text: string): string {
  let masked = '';
  let at = 0;
  pairName.lastIndex = 0;
  for (let found = pairName.exec(text); found !== null; found = pairName.exec(text)) {
    if (!isMaskedName(found[2] as string)) continue;
    let end = pairName.lastIndex;
    pairMember.lastIndex = end;
    for (let member = pairMember.exec(text); member !== null; member = pairMember.exec(text)) {
      const start = pairMember.lastIndex;
      end = findValueEnd(text, start, member[1] as string);
      if (valueName.test(member[2] as string) && !isShownValue(text.slice(start, end))) {
        masked += `${text.slice(at, start)}${member[1]}${maskedText}${member[1]}`;
        at = end;
      }
      pairMember.lastIndex = end;
    }
    pairName.lastIndex = end;
  }
  return masked + text.slice(at);
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
/** The name of a pair, at most three levels of JSON inside of JSON. */
const pairName = /(?<!\\)(\\{0,7}["'])(?:name|key|displayname)\1\s*:\s*\1([^"'\\]{1,128})\1/gi;
const pairMember = /\s*,\s*(\\{0,7}["'])(\w{1,64})\1\s*:\s*/y;
const valueName = /^(?:old|new)?value$/i;
