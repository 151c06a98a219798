import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../installation/eventually.ts';
import { type IngestInstallation, startIngestInstallation } from '../../installation/ingest-installation.ts';
import { openPage, type SourcePage } from './page-commands.ts';

/** An installation with an api, in which the commands of pages are run. */
export interface PageInstallation extends IngestInstallation {
  readonly baseUrl: string;
  /** A page in docs/sources, with a directory of its own. */
  open(name: string, variables?: Readonly<Record<string, string>>): Promise<SourcePage>;
  /** Waits for so many rows and alerts of the tenant. */
  waitForRows(tenantId: string, rows: number, alerts?: number): Promise<void>;
}

/** It ends with the stack. */
export async function startPageInstallation(owner: AsyncDisposableStack): Promise<PageInstallation> {
  const root = await mkdtemp(join(tmpdir(), 'tenantscope-pages-'));
  owner.defer(() => rm(root, { recursive: true, force: true }));
  const running = await startIngestInstallation(owner);
  const { installation, inspector } = running;
  return {
    ...running,
    baseUrl: (await installation.startApi()).baseUrl,
    async open(name, variables = {}) {
      const directory = join(root, randomUUID());
      await mkdir(directory);
      return openPage(name, directory, { ...installation.environment, ...variables });
    },
    async waitForRows(tenantId, rows, alerts = 0) {
      const { client, rowCount } = inspector;
      await eventually(`${rows} rows and ${alerts} alerts`, 90_000, async () => {
        const { rows: found } = await client.query('select from models.security_alert where tenant_id = $1', [
          tenantId,
        ]);
        return (await rowCount(tenantId)) === rows && found.length === alerts;
      });
    },
  };
}
