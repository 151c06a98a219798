import { writeFile } from 'node:fs/promises';
import type { Admin, Tenant } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../command-error.ts';
import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseInteger } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatCount } from '../../output/count.ts';
import { formatFields } from '../../output/table.ts';
import { formatTopic } from '../ingestion/lanes.ts';
import { createCertificate, readSigningKey } from './erasure-certificate.ts';
import { readKafkaRetention } from './kafka-retention.ts';

export interface OffboardOptions {
  readonly tenant: string;
  readonly close: boolean;
  readonly reopen: boolean;
  readonly erase: boolean;
  readonly certificate?: string;
  readonly signingKey?: string;
  readonly backupDays?: string;
}

/**
 * Ingest processes read the tenants every 30 s and end a hung write after 15 s: a record that was read before the tenant was closed is a row by then.
 */
const settleMs = 120_000;

/** Shows how far a tenant is offboarded, or takes the step that is named. */
export async function offboardTenant(options: OffboardOptions, context: CommandContext): Promise<CommandResult> {
  const steps = [options.close, options.reopen, options.erase].filter(Boolean).length;
  if (steps > 1) throw usageError('--close, --reopen and --erase exclude each other');
  return withAdmin(context.environment, async (admin) => {
    const tenant = await findTenant(admin, options.tenant);
    if (options.erase) return eraseTenant(admin, tenant, options, context);
    if (options.close) {
      await refuseSources(admin, tenant);
      await admin.tenants.close(tenant.id);
    }
    if (options.reopen) {
      if (tenant.erasedAt !== null)
        throw new CommandError(
          `the data of the tenant has been erased since ${tenant.erasedAt}: it cannot be reopened`,
        );
      await admin.tenants.reopen(tenant.id);
    }
    return describeState(admin, await admin.tenants.find(tenant.id));
  });
}

async function describeState(admin: Admin, tenant: Tenant): Promise<CommandResult> {
  const keys = (await admin.keys.list({ tenantId: tenant.id })).filter(({ revokedAt }) => revokedAt === null);
  const sources = await listSources(admin, tenant);
  const { id, name, closedAt, erasedAt } = tenant;
  const state = erasedAt !== null ? 'erased' : closedAt !== null ? 'closed' : 'open';
  const document = { id, name, state, closedAt, erasedAt, activeKeys: keys.length, sources };
  const next = {
    open: 'Export its data, remove its sources, then repeat the command with --close.',
    closed: 'Keys no longer find it and its records are dropped. --reopen undoes this; --erase deletes its data.',
    erased: '--erase again deletes what is left, and writes another certificate.',
  }[state];
  return {
    document,
    text: `${formatFields(Object.entries({ ...document, sources: sources.join(', ') || 'none' }))}\n${next}`,
  };
}

async function listSources(admin: Admin, { id }: Tenant): Promise<string[]> {
  const collectors = (await admin.collectors.list(id)).filter(({ state }) => state !== 'removed');
  const bindings = (await admin.bindings.list(false)).filter(({ tenantId }) => tenantId === id);
  return [
    ...collectors.map((one) => `collector ${one.id}`),
    ...bindings.map(({ topic }) => `source binding of topic ${topic}`),
  ];
}

async function refuseSources(admin: Admin, tenant: Tenant): Promise<void> {
  const sources = await listSources(admin, tenant);
  if (sources.length > 0)
    throw new CommandError(
      `remove the sources of the tenant first, with "tenantscope collector remove" and "tenantscope source remove": ${sources.join(', ')}`,
    );
}

async function eraseTenant(
  admin: Admin,
  tenant: Tenant,
  { certificate: file, signingKey, backupDays }: OffboardOptions,
  { environment, terminal }: CommandContext,
): Promise<CommandResult> {
  if (file === undefined || signingKey === undefined || backupDays === undefined)
    throw usageError('--erase needs --certificate, --signing-key and --backup-days');
  const days = parseInteger(backupDays, '--backup-days', { from: 0, to: 3_650 });
  const key = await readSigningKey(signingKey);
  await refuseUnsettled(admin, tenant);
  // Before anything is deleted: without it there is no certificate.
  const topics = await readKafkaRetention(admin, tenant.id, environment);
  const erasure = await admin.tenants.erase(tenant.id, (rows) => {
    if (terminal.isTTY) terminal.write(`\r${formatCount(rows, 'row')} deleted`);
  });
  const erased = await admin.tenants.find(tenant.id);
  const certificate = await createCertificate({ tenant: erased, erasure, topics, backupDays: days }, key);
  await writeFile(file, `${JSON.stringify(certificate, null, 2)}\n`, { flag: 'wx' }).catch((error: Error) => {
    throw new CommandError(
      `the data is erased, but the certificate cannot be written: ${error.message}; repeat the command with another --certificate`,
    );
  });
  const rows = erasure.tables.reduce((sum, table) => sum + table.rows, 0);
  const unknown = topics.filter(({ isUnknown }) => isUnknown).map(({ cluster, topic }) => formatTopic(cluster, topic));
  const text = formatFields([
    ['tenant', tenant.id],
    ['rows deleted', rows],
    ['certificate', file],
    ['signed with key', certificate.signature.kid],
    ['in Kafka until', certificate.certificate.kafka.until ?? 'records are deleted there; see the certificate'],
    ...(unknown.length > 0 ? [['retention unknown', unknown.join(', ')] as const] : []),
    ['in backups until', certificate.certificate.backups.until],
  ]);
  return { document: { file, ...certificate }, text };
}

/** Deletes nothing before all that was read earlier is written: later rows would outlive the certificate. */
async function refuseUnsettled(admin: Admin, { id, closedAt }: Tenant): Promise<void> {
  if (closedAt === null)
    throw new CommandError(`the tenant ${id} is not closed; close it first: tenantscope tenant offboard --close`);
  const closedMs = Date.parse(closedAt);
  const waitMs = closedMs + settleMs - Date.now();
  if (waitMs > 0)
    throw new CommandError(
      `records that were read before the tenant was closed may still be written; repeat the command in ${Math.ceil(waitMs / 1000)} s`,
    );
  const late = (await admin.lanes.list()).filter(({ settledAt }) => Date.parse(settledAt) < closedMs + settleMs / 2);
  const names = late.slice(0, 5).map(({ topic, partition }) => `${topic}/${partition}`);
  if (late.length > 0)
    throw new CommandError(
      `${formatCount(late.length, 'lane is', 'lanes are')} not settled since the tenant was closed: ${names.join(', ')}; "tenantscope lanes list" shows why`,
    );
}
