import { agentOf } from './agent.ts';

export const requestsAMinute = 600;
const note = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** Uses up a new key's requests of this minute but for some: whoever calls with it after those is told to wait. */
export async function spendBudget(baseUrl: string, secret: string, left = 0): Promise<void> {
  const spender = agentOf(baseUrl, secret);
  for (let toSpend = requestsAMinute - left; toSpend > 0; toSpend -= 50)
    await Promise.all(Array.from({ length: Math.min(50, toSpend) }, () => spender.post(note)));
}
