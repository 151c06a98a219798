import { randomUUID } from 'node:crypto';
import { makeSecret } from '@tenantscope/store/api-key';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sendRaw } from './raw-http.ts';
import { startTestApp, testKey } from './test-app.ts';

/** `npm run torture -- --seed N` repeats a long run. */
const { TENANTSCOPE_TORTURE: long, TENANTSCOPE_TORTURE_SEED: seed } = process.env;
const options = { numRuns: long ? 1_500 : 12, ...(seed ? { seed: Number(seed) } : {}) };
const timeout = long ? 900_000 : 30_000;

const key = makeSecret();
const requests = [
  `GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`,
  `GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Length: 2\r\n\r\n{}`,
  'GET /nonsense HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'POST /api/v1/mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  'DELETE /api/v1/logs HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx',
];
const damage = fc.tuple(
  fc.nat(400),
  fc.oneof(
    fc.constantFrom('\r\n', '\0', ' ', ':', '\r', '\n', '%', '\x80', 'HTTP/1.1', 'Connection: close\r\n', '0\r\n\r\n'),
    fc.string({ unit: 'binary-ascii', maxLength: 5 }),
  ),
  fc.nat(20),
);
const traffic = fc
  .tuple(fc.array(fc.constantFrom(...requests), { minLength: 1, maxLength: 4 }), fc.array(damage, { maxLength: 3 }))
  .map(([sent, damages]) =>
    damages.reduce((text, [position, inserted, removed]) => {
      const at = position % (text.length + 1);
      return text.slice(0, at) + inserted + text.slice(at + removed);
    }, sent.join('')),
  );

test('damaged requests on one connection get complete responses, never 500, and the server goes on', {
  tags: 'exhaustive',
  timeout,
}, async () => {
  await using app = await startTestApp({
    // No key is used twice: the rate limit would end a long run.
    lookUp: async () => ({ ...testKey, keyId: randomUUID() }),
    handlers: { ping: async () => ({ body: '{"data":{}}' }) },
    timeouts: { headersMs: 100, requestMs: 150, sendMs: 100, keepAliveMs: 100, checkMs: 20 },
  });
  await fc.assert(
    fc.asyncProperty(traffic, async (text) => {
      const responses = await sendRaw(Buffer.from(text, 'latin1'), { port: app.port, silenceMs: 300, waitMs: 600 });
      for (const { status, headers, body } of responses) {
        expect([200, 400, 401, 404, 405, 408, 413, 414, 415, 417, 429, 431, 501]).toContain(status);
        expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
        if (body !== '') expect(() => JSON.parse(body)).not.toThrow();
      }
      const [alive] = await sendRaw(requests[0] as string, { port: app.port, silenceMs: 20 });
      expect(alive?.status).toBe(200);
    }),
    options,
  );
});
