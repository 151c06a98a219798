import { readCurrentSecret } from '../config/current-secret.ts';

/** By PostgreSQL URL, as `readConfig` returns it, the file that contains it, alone or in a comma list. */
const files = new Map<string, string>();

/** By the URL of a cell, the URL of the process that it has its password from. */
const passwordUrls = new Map<string, string>();

export function rememberPasswordUrl(url: string, source: string): void {
  passwordUrls.set(url, source);
}

export function rememberUrlFile(url: string, file: string): void {
  files.set(url, file);
}

/**
 * The present password of a PostgreSQL URL: that of the file where the URL was read from one, so that a rotated password needs no restart. Null for
 * a URL without a password. User, host and database are those at start.
 */
export function readDatabasePasswords(of: string): (() => string) | null {
  const url = passwordUrls.get(of) ?? of;
  if (!URL.canParse(url)) return null;
  const atStart = new URL(url);
  if (atStart.password === '') return null;
  const file = files.get(url);
  return () => {
    const present = readCurrentSecret(url, file)
      .split(',')
      .map((item) => item.trim())
      .find((item) => URL.canParse(item) && describeAddress(new URL(item)) === describeAddress(atStart));
    return decodeURIComponent((present === undefined ? atStart : new URL(present)).password);
  };
}

/** Without parameters, which `readConfig` changes. */
function describeAddress({ username, host, pathname }: URL): string {
  return `${username}@${host}${pathname}`;
}
