import { expect, test } from 'vitest';
import { failedLoginsPerWindow } from '../src/limits.ts';
import { startTestApp } from './test-app.ts';

/** The statuses of requests without a key, each with the given X-Forwarded-For. */
async function sendWithoutKey(port: number, forwardedFor: readonly string[]): Promise<number[]> {
  const send = (value: string) =>
    fetch(`http://127.0.0.1:${port}/api/v1/logs`, { headers: { 'X-Forwarded-For': value } });
  const statuses: number[] = [];
  for (const value of forwardedFor) statuses.push((await send(value)).status);
  return statuses;
}

const addresses = Array.from({ length: failedLoginsPerWindow + 1 }, (_, index) => `192.0.2.${index}`);
const allButLastFail = [...Array(failedLoginsPerWindow).fill(401), 429];

test('failed logins are counted for the address of the connection, whatever X-Forwarded-For contains', async () => {
  await using app = await startTestApp();
  expect(await sendWithoutKey(app.port, addresses)).toEqual(allButLastFail);
});

test('behind a trusted proxy they are counted for the address that it adds, not for those that the client sends', async () => {
  await using app = await startTestApp({ trustedProxies: ['127.0.0.1'] });
  expect(await sendWithoutKey(app.port, addresses)).toEqual(addresses.map(() => 401));
  const forged = addresses.map((address) => `${address}, 198.51.100.7`);
  expect(await sendWithoutKey(app.port, forged)).toEqual(allButLastFail);
});
