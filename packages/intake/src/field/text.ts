/**
 * Makes invisible characters visible as `\u{…}`. Text from tenants' data is untrusted: file names, subjects and names are
 * read by people and by language models. Replaced are control characters other than tab and newline, marks that change the
 * direction of text, zero-width and other invisible characters, tag characters, and unpaired surrogates, which a database
 * rejects too.
 */
export function makeVisible(text: string): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) as number).toString(16).toUpperCase()}}`);
}

/**
 * Whether JSON written by `JSON.stringify` may contain anything that `makeVisible` changes. One look at a whole document,
 * so that the usual record costs 0.3 µs instead of a scan per member: ASCII without such escapes is found by searches of the
 * engine for single characters, where an expression takes 2 µs for 2 kB. False positives are possible, false negatives are
 * not.
 */
export function mayHideText(json: string): boolean {
  if (hasUnseenEscape(json)) return true;
  const isAscii = Buffer.byteLength(json) === json.length;
  return isAscii ? json.includes('\x7f') : suspicious.test(json);
}

/** The first 32 and lone surrogates appear as escapes in JSON; newline and tab have short escapes, which do not count. */
function hasUnseenEscape(json: string): boolean {
  for (let at = json.indexOf('\\'); at !== -1; at = json.indexOf('\\', at + 2)) {
    const escaped = json.charCodeAt(at + 1);
    if (escaped === 0x62 || escaped === 0x66 || escaped === 0x72 || escaped === 0x75) return true;
  }
  return false;
}

/** Truncates to at most `limit` UTF-16 units; the last one is then an ellipsis. */
export function truncateText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const truncated = text.slice(0, limit - 1);
  const last = truncated.charCodeAt(truncated.length - 1);
  return `${last >= 0xd800 && last <= 0xdbff ? truncated.slice(0, -1) : truncated}…`;
}

/** Beyond the first 32: delete and C1, soft hyphen, fillers that draw nothing, zero-width, direction marks, separators. */
const invisible =
  '\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb';
/** Tags and the supplementary variation selectors, in which whole sentences can be hidden. */
const tags = '\\udb40[\\udc00-\\udfff]';
const loneSurrogate = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';

const unseen = new RegExp(`[\\x00-\\x08\\x0b-\\x1f${invisible}]|${tags}|${loneSurrogate}`, 'g');
const suspicious = new RegExp(`[${invisible}\\udb40]`);
