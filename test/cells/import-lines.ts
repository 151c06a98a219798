import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '@tenantscope/cli/command';
import { activityRecord } from '../installation/activity-records.ts';
import { runPartialCommand } from './failing-command.ts';
import type { MoveInstallation } from './move-installation.ts';

export interface ImportResult {
  readonly importId: string;
  readonly published: number;
  readonly messages: number;
  readonly rows: number;
  readonly duplicates: number;
  readonly deadLetters: Record<string, number>;
  readonly isComplete: boolean;
  readonly isSettled: boolean;
}

/** Imports lines of standard input for the tenant that moves. */
export async function importLines(
  { tenantId, environment }: MoveInstallation,
  lines: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<{ status: number; stderr: string; result: ImportResult }> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(out), text(err)]);
  const args = ['import', '--tenant', tenantId, '--format', 'o365.management-activity', '--json', '-'];
  const streams = { input: Readable.from(lines), out, err, terminal: process.stderr };
  const status = await runCommand(args, () => environment, streams);
  out.end();
  err.end();
  const [stdout, stderr] = await written;
  return { status, stderr, result: (stdout === '' ? null : JSON.parse(stdout)) as ImportResult };
}

export const activityLine = (number: number) => Buffer.from(`${JSON.stringify(activityRecord(number))}\n`);

/** With dead letters it fails, and has a result. */
export async function showImport({ environment }: MoveInstallation, id: string): Promise<ImportResult> {
  return JSON.parse((await runPartialCommand(environment, 'imports', 'show', id, '--json')).stdout);
}

/** The rows of the tenant in a cell, and the different records among them. */
export async function countRows(
  { query, tenantId }: MoveInstallation,
  cell: string,
): Promise<{ rows: number; records: number }> {
  const [counted] = await query<{ rows: number; records: number }>(
    cell,
    `select count(*)::int as rows, count(distinct external_event_id)::int as records from models.audit_log where tenant_id = $1`,
    [tenantId],
  );
  return counted as { rows: number; records: number };
}
