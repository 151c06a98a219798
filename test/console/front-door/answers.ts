import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';

/** Of every answer whatsoever: the policy, no word for other origins, nothing kept but assets, no word of the inside. */
export function expectGuarded(
  answer: { status: number; headers: IncomingHttpHeaders | Headers; text: string },
  name: string,
) {
  const header = (which: string) =>
    answer.headers instanceof Headers
      ? answer.headers.get(which)
      : ((answer.headers[which] as string | undefined) ?? null);
  const all = answer.headers instanceof Headers ? [...answer.headers.keys()] : Object.keys(answer.headers);
  expect(header('content-security-policy'), name).toContain("default-src 'none'");
  expect(header('content-security-policy'), name).toContain("frame-ancestors 'none'");
  expect(header('x-content-type-options'), name).toBe('nosniff');
  expect(header('referrer-policy'), name).toBe('no-referrer');
  expect(header('cross-origin-opener-policy'), name).toBe('same-origin');
  expect(header('cross-origin-resource-policy'), name).toBe('same-origin');
  expect(header('cache-control'), name).toBe('no-store');
  expect(
    all.filter((each) => /^access-control-|^server$|^x-powered-by$|^timing-allow/.test(each)),
    name,
  ).toEqual([]);
  expect(answer.text, name).not.toMatch(/node_modules|at \w+ \(|SQLSTATE|control\.\w+|models\.\w+|slonik|relation "/);
}

/** Of every answer to what no page sends: guarded, no failure of the console, and a refusal that says why. */
export const expectRefused = (
  answer: { status: number; headers: Headers | IncomingHttpHeaders; text: string },
  name: string,
) => {
  expectGuarded(answer, name);
  expect(answer.status, name).toBeLessThan(500);
  if (answer.status >= 400)
    expect(JSON.parse(answer.text).error, name).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
    });
};
