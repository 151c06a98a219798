import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeSigningKey } from '@tenantscope/proof';
import { z } from 'zod';
import { freePort, isFree } from '../ports.ts';
import { readPrivate, writePrivate } from '../private-file.ts';

const tenant = z.object({ id: z.string(), name: z.string(), azureTenantId: z.string().nullable() });

const shape = z.object({
  /** Signs cursors, which never expire. */
  cursorSecret: z.string(),
  /** Signs evidence packs: a private JWK. Data of an earlier version have none yet. */
  signingKey: z.string().default(''),
  /** Seals what people of the console prove themselves by. Data of an earlier version have none yet. */
  consoleSecret: z.string().default(''),
  ports: z.object({
    kafka: z.int(),
    postgres: z.int(),
    redis: z.int(),
    apiHealth: z.int(),
    ingestHealth: z.int(),
    // Data of an earlier version have none yet.
    jobsHealth: z.int().default(9470),
    console: z.int().default(8085),
    consoleHealth: z.int().default(9475),
  }),
  demo: z
    .object({
      organizationId: z.string().default(''),
      tenants: z.array(tenant),
      keys: z.object({ tenant: z.string(), organization: z.string() }),
      /** The history was made as of this instant; made again as of it, it would be the same records. */
      historyAtMs: z.number(),
      historyPublished: z.boolean(),
    })
    .nullable(),
});

/** What has to be the same at the next start on this data; secrets and all. */
export type Kept = z.infer<typeof shape>;
export type Demo = NonNullable<Kept['demo']>;

/** Reads what the last start left, or makes it. A port that somebody else has taken meanwhile is replaced. */
export async function readKept(directory: string): Promise<Kept> {
  const found = await readPrivate(fileOf(directory));
  const kept: Kept =
    found === null
      ? {
          cursorSecret: randomBytes(32).toString('base64url'),
          signingKey: '',
          consoleSecret: '',
          ports: {
            kafka: 0,
            postgres: 0,
            redis: 0,
            apiHealth: 9080,
            ingestHealth: 9465,
            jobsHealth: 9470,
            console: 8085,
            consoleHealth: 9475,
          },
          demo: null,
        }
      : shape.parse(found);
  kept.signingKey ||= await makeSigningKey();
  kept.consoleSecret ||= randomBytes(32).toString('base64url');
  for (const name of Object.keys(kept.ports) as (keyof Kept['ports'])[]) {
    if (kept.ports[name] === 0 || !(await isFree(kept.ports[name]))) kept.ports[name] = await freePort();
  }
  await writeKept(directory, kept);
  return kept;
}

export async function writeKept(directory: string, kept: Kept): Promise<void> {
  await writePrivate(fileOf(directory), kept);
}

function fileOf(directory: string): string {
  return join(directory, 'kept.json');
}
