import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { SecretRecorder } from './secret-recorder.ts';
import { encodeVariants } from './secret-search.ts';

/** Whether the secret is issued in this place: in the one response that gives it to its owner. */
function isIssued(secret: string, place: string): boolean {
  if (/^key/.test(secret)) return / POST \S+\/console\/api\/keys: body$/.test(place);
  if (/^recovery/.test(secret)) return / POST \S+\/console\/api\/set-up: body$/.test(place);
  if (/^session/.test(secret))
    return / (POST \S+\/console\/api\/(set-up|sign-in\/local)|GET \S+\/console\/auth\/callback\S*): head$/.test(place);
  if (secret === 'OIDC state') return / GET \S+\/console\/auth\/start: head$/.test(place);
  return false;
}

/** Secrets are only in the responses that issue them, and the search finds those. */
export function expectNoLeaks({ secrets, responses, contents }: SecretRecorder): void {
  const issued = new Set<string>();
  const leaks: string[] = [];
  for (const [name, secret] of secrets) {
    expect(secret.length, name).toBeGreaterThan(10);
    const variants = encodeVariants(secret);
    for (const [place, text] of [...responses, ...contents])
      if (variants.some((variant) => text.includes(variant))) {
        if (isIssued(name, place)) issued.add(name);
        else leaks.push(`${name} in ${place}`);
      }
  }
  expect(leaks).toEqual([]);
  for (const name of [
    'key',
    'key after rotation',
    'recovery code 0',
    'session',
    'session after a recovery code',
    'session by the provider',
  ])
    expect([...issued], 'issued secrets').toContain(name);
}

/** The digest of each secret is in one table only. */
export function expectDigestsInOneTable({ secrets, responses, contents }: SecretRecorder): void {
  const tables: [secret: string, table: string][] = [
    ['key', 'table control.api_key'],
    ['key after rotation', 'table control.api_key'],
    ['session', 'table control.console_session'],
    ['set-up token', 'table control.set_up_token'],
    ['recovery code 5, bare', 'table control.member_credential'],
  ];
  for (const [name, table] of tables) {
    const bytes = createHash('sha256')
      .update(secrets.get(name) ?? '')
      .digest();
    const found = [...responses, ...contents].filter(([, text]) =>
      (['hex', 'base64', 'base64url'] as const).some((encoding) =>
        text.includes(bytes.toString(encoding).replace(/=+$/, '')),
      ),
    );
    expect(
      found.map(([place]) => place),
      `digest of ${name}`,
    ).toEqual([table]);
  }
}

/** Whatever looks like a key is in the response that issued it; elsewhere at most eight of its characters are shown. */
export function expectNoOtherKeys({ responses, contents }: SecretRecorder): void {
  for (const [place, text] of [...responses, ...contents])
    for (const [match] of text.matchAll(/tscope_live_[0-9A-Za-z]{9,}/g))
      expect(isIssued('key', place), `${match} in ${place}`).toBe(true);
}
