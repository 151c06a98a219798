import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { generateSigningKey } from '@tenantscope/proof';
import { z } from 'zod';
import { findFreePort, isPortFree } from '../ports.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';

const tenant = z.object({ id: z.string(), name: z.string(), azureTenantId: z.string().nullable() });

const shape = z.object({
  /** Signs cursors, which never expire. */
  cursorSecret: z.string(),
  /** Signs evidence packs: a private JWK. Missing in data of earlier versions. */
  signingKey: z.string().default(''),
  /** Encrypts the credentials of console members. Missing in data of earlier versions. */
  consoleSecret: z.string().default(''),
  ports: z.object({
    kafka: z.int(),
    postgres: z.int(),
    redis: z.int(),
    apiHealth: z.int(),
    ingestHealth: z.int(),
    // Missing in data of earlier versions.
    jobsHealth: z.int().default(9470),
    console: z.int().default(8085),
    consoleHealth: z.int().default(9475),
    collectHealth: z.int().default(9490),
  }),
  demo: z
    .object({
      organizationId: z.string().default(''),
      tenants: z.array(tenant),
      keys: z.object({ tenant: z.string(), organization: z.string() }),
      /** The instant that the history ends at; publishing it again gives the same records. */
      historyAtMs: z.number(),
      historyPublished: z.boolean(),
    })
    .nullable(),
});

/** Settings, with secrets, that the next start with these data must reuse. */
export type SavedSettings = z.infer<typeof shape>;
export type DemoSettings = NonNullable<SavedSettings['demo']>;

/** Reads the settings of the last start or creates them. A port that another process uses is replaced. */
export async function loadSavedSettings(directory: string): Promise<SavedSettings> {
  const found = await readPrivateFile(settingsFile(directory));
  const settings: SavedSettings =
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
            collectHealth: 9490,
          },
          demo: null,
        }
      : shape.parse(found);
  settings.signingKey ||= await generateSigningKey();
  settings.consoleSecret ||= randomBytes(32).toString('base64url');
  for (const name of Object.keys(settings.ports) as (keyof SavedSettings['ports'])[]) {
    if (settings.ports[name] === 0 || !(await isPortFree(settings.ports[name])))
      settings.ports[name] = await findFreePort();
  }
  await writeSavedSettings(directory, settings);
  return settings;
}

export async function writeSavedSettings(directory: string, settings: SavedSettings): Promise<void> {
  await writePrivateFile(settingsFile(directory), settings);
}

function settingsFile(directory: string): string {
  return join(directory, 'settings.json');
}
