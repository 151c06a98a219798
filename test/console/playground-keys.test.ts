import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashSecret } from '@tenantscope/store/api-key';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestConsole } from './test-console.ts';

test('a revoked key of the playground is refused at once, and the next run uses another one', async () => {
  const used: string[] = [];
  const isValid = async (secret: string) => {
    used.push(secret);
    const { rows } = await superuser.query(
      'select revoked_at from control.api_key where secret_sha256 = $1 and expires_at > clock_timestamp()',
      [hashSecret(secret)],
    );
    return rows.length === 1 && rows[0].revoked_at === null;
  };
  /** As the API: it reads the key with each request. */
  await using api = createServer(async ({ headers }, response) => {
    const isAllowed = await isValid(headers.authorization?.replace('Bearer ', '') ?? '');
    response.writeHead(isAllowed ? 200 : 401, { 'Content-Type': 'application/json' });
    response.end(isAllowed ? '{"data":{}}' : '{"error":{"code":"UNAUTHENTICATED","message":"Revoked."}}');
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo;
  await using running = await createTestConsole({ TENANTSCOPE_CONSOLE_API_URL: `http://127.0.0.1:${port}` });
  const superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  try {
    const admin = await running.signIn('admin');
    const run = async () => {
      const { headers } = await admin.request('POST', '/console/api/playground/run', {
        operation: 'ping',
        tenantId: running.tenantIds[0],
        mode: 'rest',
        parameters: {},
        scopesOf: 'me',
      });
      return JSON.parse(Buffer.from(headers.get('x-run') ?? '', 'base64url').toString()).status;
    };
    expect([await run(), await run()]).toEqual([200, 200]);
    expect(new Set(used).size).toBe(1);
    const { body } = await admin.request('GET', '/console/api/keys?view=playground');
    expect((await admin.request('POST', `/console/api/keys/${body.keys[0].id}/revoke`)).status).toBe(200);
    expect(await run()).toBe(401);
    expect(await run()).toBe(200);
    expect(new Set(used).size).toBe(2);
  } finally {
    await superuser.end();
  }
});
