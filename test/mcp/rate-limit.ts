import { createMcpClient } from './mcp-client.ts';

export const requestsPerMinute = 600;
const note = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** Uses up the rate limit of a new key for this minute except for `left` requests. */
export async function consumeRateLimit(baseUrl: string, secret: string, left = 0): Promise<void> {
  const spender = createMcpClient(baseUrl, secret);
  for (let toSpend = requestsPerMinute - left; toSpend > 0; toSpend -= 50)
    await Promise.all(Array.from({ length: Math.min(50, toSpend) }, () => spender.post(note)));
}
