import { type PackRequest, writePack } from '@tenantscope/compliance';
import { readNewestStamp } from '@tenantscope/store';
import type { Told } from '../compliance/told.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into every part of a pack
export type Pack = any;

export interface AskedPack extends Partial<Pick<PackRequest, 'framework' | 'sections' | 'continued' | 'signing'>> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly generatedAtMs?: number;
  readonly connectedAtMs?: number;
  readonly knownThroughMs?: number;
}

/** The bytes of a pack of a tenant that was told things, as the api would answer them. Cursors are the places they continue at, as text. */
export function packBytes(told: Told, tenantId: string, asked: AskedPack): Promise<Buffer> {
  return told.read(tenantId, async (client) => {
    const { fromMs, toMs, knownThroughMs = Number.MAX_SAFE_INTEGER / 1_024 } = asked;
    const known = asked.continued
      ? knownThroughMs
      : ((await readNewestStamp(client, tenantId, Math.min(knownThroughMs, Date.UTC(2100, 0)))) ?? toMs);
    return writePack(
      { client, tenantId, fromMs, toMs, knownThroughMs: known },
      {
        tenant: { id: tenantId, name: 'Contoso', azureTenantId: null, connectedAtMs: asked.connectedAtMs ?? null },
        framework: asked.framework ?? null,
        sections: asked.sections ?? null,
        continued: asked.continued ?? null,
        generatedAtMs: asked.generatedAtMs ?? toMs,
        generatedBy: 'a test',
        serviceVersion: '0.0.0',
        signing: asked.signing ?? null,
        sealCursor: (section, after) => JSON.stringify({ section, after }),
      },
    );
  });
}

export async function packOf(told: Told, tenantId: string, asked: AskedPack): Promise<Pack> {
  return JSON.parse((await packBytes(told, tenantId, asked)).toString()).data;
}

// biome-ignore lint/suspicious/noExplicitAny: as above
export function sectionOf(pack: Pack, key: string): any {
  const found = pack.sections.filter((section: Pack) => section.key === key);
  if (found.length !== 1) throw new Error(`the pack has ${found.length} sections ${key}`);
  return found[0];
}
