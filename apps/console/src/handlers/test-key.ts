import { keyTestAgent } from '@tenantscope/store/console';
import { z } from 'zod';
import type { CreatedKey } from '../../api/keys.ts';
import type { Console } from '../console.ts';

const testTimeoutMs = 5_000;
const pingResponse = z.object({ data: z.object({ scopes: z.array(z.string()) }) });
const tenantsResponse = z.object({ data: z.array(z.object({ name: z.string() })) });

/** What a new key sees, as the API reports it while the secret is still in memory; null: no response. */
export async function testKey({ api }: Console, secret: string): Promise<CreatedKey['test']> {
  const get = (path: string) =>
    fetch(`${api.url}${path}`, {
      headers: { Authorization: `Bearer ${secret}`, 'User-Agent': keyTestAgent },
      redirect: 'error',
      signal: AbortSignal.timeout(testTimeoutMs),
    });
  try {
    const [ping, tenants] = await Promise.all([get('/ping'), get('/tenants')]);
    if (!ping.ok || !tenants.ok) return { status: ping.ok ? tenants.status : ping.status, scopes: [], tenants: [] };
    const { scopes } = pingResponse.parse(await ping.json()).data;
    const { data } = tenantsResponse.parse(await tenants.json());
    return { status: ping.status, scopes, tenants: data.map(({ name }) => name) };
  } catch {
    return null;
  }
}
