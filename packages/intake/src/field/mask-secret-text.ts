import { maskedText } from './mask-secrets.ts';

/** Masks whatever looks like a secret in a text. The text shows that something was removed. */
export function maskSecretText(text: string): string {
  const withoutNames = (_: string, name: string) => `${name}${maskedText}`;
  return text
    .replace(keyPatterns, maskedText)
    .replace(queryPattern, withoutNames)
    .replace(assignmentPattern, withoutNames);
}

/** Signatures and tokens in the query of a URL. */
const queryPattern = /([?&](?:sig|signature|token|access_token|id_token|code|key)=)[^&#\s"'<>]+/gi;

/** Keys recognised by their form: private keys, tokens of three parts, and keys with a vendor's prefix. */
const keyPatterns = new RegExp(
  [
    '-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)',
    'eyJ[\\w-]{10,}\\.[\\w-]{10,}\\.[\\w-]*',
    '(?<![A-Za-z0-9])(?:tscope_live_|gh[pousr]_|github_pat_|sk-|xox[abprs]-|AIza|glpat-|npm_)[\\w-]{16,}',
    '(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  ].join('|'),
  'g',
);
/** `password: …`, `api key = …`, `Authorization: Bearer …`, `AccountKey=…;`: the name stays, the value is removed. */
const assignmentPattern =
  /((?:password|passphrase|passwd|pwd|(?:client|shared)[ _-]?secret|secret|api[ _-]?key|access[ _-]?key|account[ _-]?key|(?:access|auth|refresh)[ _-]?token|sas[ _-]?token|bearer)["']?(?:\s*[:=]\s*|\s+is\s+(?=\S*\d)|(?<=bearer)\s+)["']?)(?:bearer\s+)?[^\s"',;]{6,}/gi;
