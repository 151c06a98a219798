// @module-tag exhaustive
import { createLog } from '@tenantscope/runtime';
import { makeSecret } from '@tenantscope/store/api-key';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type RawResponse, sendRaw } from './raw-http.ts';
import { startTestApp } from './test-app.ts';

const secret = makeSecret();
const valid = makeSecret();
let app: Awaited<ReturnType<typeof startTestApp>>;
/** Collected here: Vitest clears the calls of a mock at the start of each test, also of concurrent ones. */
let logged = '';
const output = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
  logged += String(text);
  return true;
});

beforeAll(async () => {
  app = await startTestApp({ log: createLog({ name: 'api', level: 'trace' }) });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  output.mockRestore();
});

/** The log is written in blocks: waits until it has a line for each response. */
function waitForLogLines(responses: readonly RawResponse[]): Promise<void> {
  return vi.waitFor(() => {
    for (const { headers } of responses) {
      const line = logged
        .split('\n')
        .find((text) => text.includes(`"${headers['x-request-id']}"`) && text.includes('"request completed"'));
      expect(line).toBeDefined();
    }
  }, 5_000);
}

test.concurrent.each([
  ['GET', '/api/v1/logs/KEY'],
  ['GET', '/api/v1/detections/KEY'],
  ['GET', '/api/v1/KEY/logs'],
  ['GET', '/KEY'],
  ['GET', '/api/v1/detections/xKEYy'],
  ['GET', '/api/v1/detections/%74KEY'],
  ['GET', '/api/v1/logs?key=KEY'],
  ['GET', '/api/v1/logs?KEY=1'],
  ['GET', '/api/v1/logs?key=%ff%74KEY'],
  ['GET', '/api/v1/openapi.json?KEY'],
  ['GET', '/api/v1/evidence/jwks.json?x=KEY'],
  ['GET', '/api/v1/monitoring-alerts?x=KEY'],
  ['GET', '/.well-known/KEY'],
  ['DELETE', '/api/v1/logs?key=KEY'],
  ['POST', '/api/v1/mcp?key=KEY'],
  ['GET', '/api/v1/mcp/KEY'],
])('%s %s gets 401 with and without a valid key, and the key is neither logged nor echoed', async (method, pattern) => {
  const target = pattern.replace('%74KEY', `%74${secret.slice(1)}`).replace('KEY', secret);
  const request = (headers: string) => `${method} ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
  const responses = await sendRaw(request('') + request(`X-API-Key: ${valid}\r\n`), { port: app.port });
  expect(responses.map(({ status }) => status)).toEqual([401, 401]);
  for (const { body } of responses) expect(JSON.parse(body)).toMatchObject({ error: { code: 'UNAUTHENTICATED' } });
  expect(JSON.stringify(responses)).not.toContain('tscope_live_');
  await waitForLogLines(responses);
  // Not even in the form in which the log redacts keys.
  expect(logged).not.toContain('tscope_live_');
});

test.concurrent('a key as request id is neither logged nor echoed', async () => {
  const [response] = await sendRaw(`GET /nonsense HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${secret}\r\n\r\n`, {
    port: app.port,
  });
  expect(response?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  if (response) await waitForLogLines([response]);
  expect(logged).not.toContain('tscope_live_');
});
