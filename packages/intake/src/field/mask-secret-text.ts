import { maskNamedValues } from './mask-named-values.ts';
import { maskProgramPasswords } from './mask-program-passwords.ts';
import { maskedText } from './mask-secrets.ts';

/** Masks whatever looks like a secret in a text. The text shows that something was removed. */
export function maskSecretText(text: string): string {
  return isPlain(text) ? text : maskHinted(maskProgramPasswords(text));
}

function maskHinted(text: string): string {
  if (!secretHint.test(text)) return text;
  const withoutTokens = text.includes('eyJ') ? text.replace(tokenPattern, maskToken) : text;
  const withoutKeys = withoutTokens.replace(keyPatterns, maskedText);
  const withoutQuery = withoutKeys.includes('=') ? withoutKeys.replace(queryPattern, maskValue) : withoutKeys;
  return separator.test(withoutQuery)
    ? maskNamedValues(withoutQuery).replace(assignmentPattern, maskValue).replace(shortPasswordPattern, maskValue)
    : withoutQuery;
}

function maskToken(found: string, parts: string | undefined): string {
  return parts === undefined ? found : maskedText;
}

function maskValue(_: string, name: string): string {
  return `${name}${maskedText}`;
}

/**
 * Whether a text can hold no secret: words shorter than any secret with its name, and ids of hexadecimal digits and
 * hyphens, which no pattern below matches. Most values are such, and 50 ns replace 300.
 */
function isPlain(text: string): boolean {
  if (text.length < shortestMatch) return true;
  if (text.length > guidLength) return false;
  for (let index = 0; index < text.length; index++) if (!isHexOrHyphen(text.charCodeAt(index))) return false;
  return true;
}

function isHexOrHyphen(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66) || code === 0x2d;
}

/**
 * A part of every match of the patterns below, in any case: most prose and paths have none, and one search in place of three
 * costs 60 ns instead of 250.
 */
const secretHint =
  /pass|pwd|secret|key|token|bearer|credential|authorization|connectionstring|securestring|(?:sig|signature|code)=|eyJ|-----BEGIN|tscope_live_|gh[pousr]_|github_pat_|sk-|xapp-|xox[abprs]-|AIza|CSPX-|ya29\.|Q~|glpat-|npm_|AKIA|ASIA|:\/\/(?:hooks\.slack|[^\s/?#@]{0,64}(?:webhook\.office|:[^\s/?#@]{1,256}@))/i;
/** `pwd=x`. */
const shortestMatch = 5;
const guidLength = 36;

/** Between a name and its value; lists of permissions have none, and the search of 400 characters of them takes 2 µs. */
const separator = /[:=\s]/;
/** Signatures and tokens in the query or the fragment of a URL. */
const queryPattern =
  /([?&#](?:sig|signature|(?:(?:access|id|refresh)_)?token|(?:client_)?secret|password|passwd|pwd|(?:api_?)?key|code)=)[^&#\s"'<>]+/gi;

/**
 * Tokens of three parts. The first part alone matches too, and stays: a search that failed would begin again at each `eyJ` of it, 9 s for 100 kB of
 * them.
 */
const tokenPattern = /eyJ[\w-]{10,}(\.[\w-]{10,}\.[\w-]*)?/g;
/**
 * Secrets recognised by their form: private keys, keys with a vendor's prefix, client secrets of Entra, addresses of webhooks,
 * the password in a URL.
 */
const keyPatterns = new RegExp(
  [
    '-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)',
    '(?<![A-Za-z0-9])(?:tscope_live_|gh[pousr]_|github_pat_|sk-|xapp-|xox[abprs]-|AIza|GOCSPX-|ya29\\.|glpat-|npm_)[\\w-]{16,}',
    '(?<![\\w~.-])[\\w~.-]{3}\\dQ~[\\w~.-]{31,34}(?![\\w~.-])',
    '(?<=hooks\\.slack\\.com/(?:services|triggers|workflows)/|webhook\\.office\\.com/[^\\s?#]{0,128}/IncomingWebhook/)[\\w/-]+',
    '(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])',
    '(?<=://[^\\s/?#:@]{0,64}:)[^\\s/?#@]{1,256}(?=@)',
  ].join('|'),
  'g',
);
/** `password: …`, `api key = …`, `Authorization: Basic …`, `AccountKey=…;`: the name stays, the value is removed. */
const assignmentPattern =
  /((?:password|passphrase|passwd|pwd|(?:client|shared)[ _-]?secret|secret|api[ _-]?key|access[ _-]?key|account[ _-]?key|(?:access|auth|refresh)[ _-]?token|sas[ _-]?token|bearer|(?<=authorization["']?\s*[:=]\s*)(?:basic|ssws))["']?(?:\s*[:=]\s*|\s+is\s+(?=\S*\d)|(?<=bearer|basic|ssws)\s+)["']?)(?:bearer\s+)?(?!\[removed\])[^\s"',;]{6,}/gi;
/**
 * Passwords that are too short for the pattern above: any after `Pwd=`, except words that tell none; elsewhere those of four or
 * five characters with a digit, since `password: reset` is prose. Of 5,800 published records none has either.
 */
const shortPasswordPattern =
  /((?:password|passphrase|passwd|pwd)["']?(?:=["']?(?!\$?(?:true|false|on|off|yes|no|none|null|n\/a|[01])(?![^\s"',;]))|\s*[:=]\s*["']?(?=[^\s"',;\d]{0,4}\d)(?=[^\s"',;]{4})))[^\s"',;]{1,5}(?![^\s"',;])/gi;
