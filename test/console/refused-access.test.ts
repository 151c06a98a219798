import { expect, test, vi } from 'vitest';
import { createTestConsole } from './test-console.ts';

test('a read and a change that a role or its tenants do not permit are in the log, with the member', async () => {
  await using running = await createTestConsole({ TENANTSCOPE_LOG_LEVEL: 'info' });
  const viewer = await running.signIn('viewer');
  const partial = await running.signIn('admin', running.tenantIds.slice(0, 1));
  let text = '';
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    expect((await viewer.request('GET', '/console/api/keys')).status).toBe(403);
    expect((await partial.request('POST', `/console/api/members/${viewer.memberId}`, { role: 'admin' })).status).toBe(
      403,
    );
    // Neither permitted requests nor those without a session are refused by a role.
    expect((await viewer.request('GET', '/console/api/me')).status).toBe(200);
    expect((await (await running.signIn(null)).request('GET', '/console/api/keys')).status).toBe(401);
  } finally {
    output.mockRestore();
  }
  const lines = text.split('\n').filter((line) => line.includes('request refused'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 30, memberId: viewer.memberId, role: 'viewer', method: 'GET', route: '/console/api/keys' },
    { level: 30, memberId: partial.memberId, role: 'admin', method: 'POST', route: '/console/api/members/:id' },
  ]);
  expect(text).not.toContain(viewer.secret);
});
