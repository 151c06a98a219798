import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogReceipt } from '@tenantscope/contract';
import { expect } from 'vitest';
import { run } from '../cli/command-line.ts';
import type { ControlledInstallation, Reader } from '../guards/controlled-installation.ts';
import type { ControlledLog } from '../installation/controlled-log.ts';
import { eventually } from '../installation/eventually.ts';

export interface ProofSource {
  readonly product: ControlledInstallation;
  readonly log: ControlledLog;
  readonly tenantId: string;
  /** Of the tenant: URL and key. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Two days with rows; those before `deletedBefore` are deleted. */
  readonly period: Readonly<{ from: string; deletedBefore: string; to: string }>;
  receiveRows(): Promise<string[]>;
}

/** Receipts, snapshots and packs that a tenant received verify after its own retention deleted rows. Needs a jobs process with a signing key. */
export async function expectProofsOutliveRows(source: ProofSource): Promise<void> {
  const { product, tenantId, environment, directory, period, receiveRows } = source;
  const readReceipts = async (): Promise<LogReceipt[]> =>
    (await product.reader(tenantId, ['logs:read']).get('/logs/receipts', { from: period.from, to: period.to })).body
      .data;
  await eventually('the receipts', 30_000, async () => (await readReceipts()).length === 2);
  const rows = await receiveRows();
  const receipts = await readReceipts();
  const proofs = await issueProofs(source);
  await deleteRows(source);
  const remaining = rows.filter((row) => JSON.parse(row).discoveredAt >= period.deletedBefore);
  expect(remaining.length).toBeLessThan(rows.length);
  await eventually('rows are not served', 5_000, async () => (await receiveRows()).length === remaining.length);

  expect(await receiveRows()).toEqual(remaining);
  expect(await readReceipts()).toEqual(receipts);
  const verify = async (lines: readonly string[], from: string) => {
    const input = lines.map((line) => `${line}\n`).join('');
    return (await run(['verify-receipts', '-', '--from', from, '--to', period.to], { environment, directory, input }))
      .status;
  };
  expect([await verify(rows, period.from), await verify(remaining, period.deletedBefore)]).toEqual([0, 0]);
  expect(await verify(remaining, period.from)).toBe(1);
  await proofs.expectUnchanged();
}

const administration = ({ product, environment }: ProofSource) => ({
  ...environment,
  TENANTSCOPE_ADMIN_DATABASE_URL: product.database.roles.admin,
});

/** As if a partition had ended then, and its end were beyond the retention of the tenant. Rows of another tenant stay. */
async function deleteRows(source: ProofSource): Promise<void> {
  const { product, log, tenantId, directory, period } = source;
  const neighbour = await product.createTenant();
  await log.write(neighbour, [{ discoveredAt: period.from }]);
  const retention = ['tenant', 'retention', '--tenant', tenantId, '--days', '200'];
  const changed = await run(retention, { environment: administration(source), directory });
  expect(changed).toMatchObject({ status: 0, stderr: '' });
  await product.superuser.query(
    `update models.tenant_retention set dropped_before = $1, dropped_at = now() - interval '11 minutes'`,
    [period.deletedBefore],
  );
  await product.superuser.query('select models.delete_expired_tenant_rows()');
  const { rows } = await product.superuser.query(
    'select distinct tenant_id as tenant from models.audit_log where discovered_at < $1 and tenant_id = any ($2)',
    [period.deletedBefore, [tenantId, neighbour]],
  );
  expect(rows).toEqual([{ tenant: neighbour }]);
}

async function issueProofs(source: ProofSource): Promise<{ expectUnchanged(): Promise<void> }> {
  const { product, tenantId, directory, period } = source;
  const reader: Reader = product.reader(tenantId);
  const [packFile, keysFile] = [join(directory, 'pack.json'), join(directory, 'jwks.json')];
  const succeed = async (...args: string[]) => {
    const { status, stdout, stderr } = await run([...args, '--json'], {
      environment: administration(source),
      directory,
    });
    expect([status, stderr], args.join(' ')).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  const read = async (path: string, parameters = {}) => {
    const { status, text } = await reader.get(path, parameters);
    expect(status, text).toBe(200);
    return text;
  };
  const readSnapshot = async (id: string) =>
    JSON.parse(await read('/compliance/snapshots')).data.find((one: { id: string }) => one.id === id);
  const verifyNewPack = async () => {
    await writeFile(packFile, await read('/evidence/agents', { from: period.from, to: period.to }));
    return succeed('verify', packFile, '--keys', keysFile);
  };
  const taken = await succeed('snapshot', 'take', '--tenant', tenantId);
  const snapshot = await readSnapshot(taken.id);
  expect(snapshot).toMatchObject({ sha256: taken.sha256 });
  await writeFile(keysFile, await read('/evidence/jwks.json'));
  await verifyNewPack();
  return {
    async expectUnchanged() {
      expect(await readSnapshot(taken.id)).toEqual(snapshot);
      await succeed('verify', packFile, '--keys', keysFile);
      await succeed('snapshot', 'take', '--tenant', tenantId);
      const verify = ['snapshot', 'verify', '--tenant', tenantId, '--keys', keysFile, '--head', taken.sha256];
      expect(await succeed(...verify)).toMatchObject({ whole: true, broken: null });
      await verifyNewPack();
    },
  };
}
