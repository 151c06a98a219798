import { expect, test } from 'vitest';
import { okta } from '../src/provider/okta.ts';
import type { StreamInput } from '../src/provider/provider.ts';
import { ProviderFailure } from '../src/provider/provider-failure.ts';

test('a page of one event is the smallest that is requested', async () => {
  const limits: number[] = [];
  const send: StreamInput['send'] = async ({ url }) => {
    limits.push(Number(new URL(url).searchParams.get('limit')));
    throw new ProviderFailure('tooLarge', 'a failure of the test');
  };
  const nowMs = Date.UTC(2026, 10, 20);
  const times = { createdAtMs: nowMs, startAtMs: nowMs, completedAtMs: null, nowMs };
  const stream = { stream: 'system-log', url: 'https://example.okta.com', settings: {}, secret: 'token' };
  await expect(
    okta.readPages({ ...stream, ...times, position: null, send, clockAheadMs: () => 0 }).next(),
  ).rejects.toThrow(ProviderFailure);
  expect(limits).toEqual([1_000, 250, 62, 15, 3, 1]);
});
