import { type PackRequest, writePack } from '@tenantscope/compliance';
import { readNewestStamp } from '@tenantscope/store/read';
import type { FactDatabase } from '../compliance/fact-database.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into every part of a pack
export type Pack = any;

export interface PackOptions
  extends Partial<Pick<PackRequest, 'framework' | 'sections' | 'continued' | 'signing' | 'pseudonymisation'>> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly generatedAtMs?: number;
  readonly connectedAtMs?: number;
  readonly storedThroughMs?: number;
}

/** The bytes of a pack as the API would return them. Cursors are the plain positions where a section continues. */
export function writePackBytes(facts: FactDatabase, tenantId: string, options: PackOptions): Promise<Buffer> {
  return facts.read(tenantId, async (client) => {
    const { fromMs, toMs, storedThroughMs = Number.MAX_SAFE_INTEGER / 1_024 } = options;
    const throughMs = options.continued
      ? storedThroughMs
      : ((await readNewestStamp(client, tenantId, Math.min(storedThroughMs, Date.UTC(2100, 0)))) ?? toMs);
    return writePack(
      { client, tenantId, fromMs, toMs, storedThroughMs: throughMs },
      {
        tenant: { id: tenantId, name: 'Contoso', azureTenantId: null, connectedAtMs: options.connectedAtMs ?? null },
        framework: options.framework ?? null,
        sections: options.sections ?? null,
        continued: options.continued ?? null,
        generatedAtMs: options.generatedAtMs ?? toMs,
        generatedBy: 'a test',
        serviceVersion: '0.0.0',
        signing: options.signing ?? null,
        pseudonymisation: options.pseudonymisation ?? null,
        sealCursor: (section, after) => JSON.stringify({ section, after }),
      },
    );
  });
}

export async function readPack(facts: FactDatabase, tenantId: string, options: PackOptions): Promise<Pack> {
  return JSON.parse((await writePackBytes(facts, tenantId, options)).toString()).data;
}

// biome-ignore lint/suspicious/noExplicitAny: as above
export function findSection(pack: Pack, key: string): any {
  const found = pack.sections.filter((section: Pack) => section.key === key);
  if (found.length !== 1) throw new Error(`the pack has ${found.length} sections ${key}`);
  return found[0];
}
