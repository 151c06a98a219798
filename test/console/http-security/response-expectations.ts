import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';

/** Every response has the content security policy, no CORS headers, no caching except of assets, and no internals. */
export function expectSecurityHeaders(
  response: { status: number; headers: IncomingHttpHeaders | Headers; text: string },
  name: string,
) {
  const header = (which: string) =>
    response.headers instanceof Headers
      ? response.headers.get(which)
      : ((response.headers[which] as string | undefined) ?? null);
  const all = response.headers instanceof Headers ? [...response.headers.keys()] : Object.keys(response.headers);
  expect(header('content-security-policy'), name).toContain("default-src 'none'");
  expect(header('content-security-policy'), name).toContain("frame-ancestors 'none'");
  expect(header('content-security-policy'), name).toContain("base-uri 'none'");
  // No other origin, no inline code: the sources are 'none' and 'self' alone.
  expect(header('content-security-policy'), name).toMatch(/^(?:[a-z-]+ '(?:none|self|script)'(?:; |$))+$/);
  expect(header('x-content-type-options'), name).toBe('nosniff');
  expect(header('referrer-policy'), name).toBe('no-referrer');
  expect(header('cross-origin-opener-policy'), name).toBe('same-origin');
  expect(header('cross-origin-resource-policy'), name).toBe('same-origin');
  expect(header('cache-control'), name).toBe('no-store');
  expect(
    all.filter((each) => /^access-control-|^server$|^x-powered-by$|^timing-allow/.test(each)),
    name,
  ).toEqual([]);
  expect(response.text, name).not.toMatch(/node_modules|at \w+ \(|SQLSTATE|control\.\w+|models\.\w+|slonik|relation "/);
}

/** A response to a request that no page sends: security headers, not a 5xx, and an error body with code and message. */
export const expectSafeFailure = (
  response: { status: number; headers: Headers | IncomingHttpHeaders; text: string },
  name: string,
) => {
  expectSecurityHeaders(response, name);
  expect(response.status, name).toBeLessThan(500);
  if (response.status >= 400)
    expect(JSON.parse(response.text).error, name).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
    });
};
