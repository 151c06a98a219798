import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isUnavailable } from '../connection/errors.ts';
import type { Schema, Step } from './migration-files.ts';

/** Statements of processes queue behind a lock that is waited for: the api's time out after 5 s. */
const lockTimeout = '3s';
/** An index that is built concurrently waits for older transactions, and no statement of a process waits for it. */
const concurrentLockTimeout = '60s';
const attempts = 5;
const pauseMs = 1_000;
/** Lock timeout and deadlock: the same step may succeed a moment later. */
const retryableCodes = new Set(['55P03', '40P01']);

/** A step that failed; its transaction was rolled back. */
export class StepFailed extends Error {
  override name = 'StepFailed';
}

/** Applies a step and records it. A lock that is not granted within 3 s is given back, so that processes go on, and requested again after a pause. */
export async function applyStep(client: pg.Client, table: string, step: Step): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await (step.isTransactional ? applyInTransaction : applyAlone)(client, table, step);
      return;
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      // The server went away: the caller may wait for it and call again.
      if (isUnavailable(error)) throw error;
      if (!retryableCodes.has(code)) throw new StepFailed(message, { cause: error });
      if (attempt === attempts)
        throw new StepFailed(`${message}; other transactions had locks during ${attempts} attempts`, {
          cause: error,
        });
    }
    await sleep(attempt * pauseMs);
  }
}

async function applyInTransaction(client: pg.Client, table: string, step: Step): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '${lockTimeout}'`);
    await client.query(step.sql);
    await record(client, table, step);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/**
 * An interrupted `create index concurrently` leaves an invalid index, which `if not exists` would take for the index: it is dropped first. A valid one is that of a migration that
 * was killed before it recorded the step.
 */
async function applyAlone(client: pg.Client, table: string, step: Step): Promise<void> {
  await client.query(`set lock_timeout = '${concurrentLockTimeout}'`);
  try {
    await dropInvalidIndexes(client, step.sql);
    const isIndex = /\bcreate\s+(?:unique\s+)?index\s+concurrently\b/i.test(step.sql);
    await client.query(step.sql).catch((error: { code?: string }) => {
      if (!isIndex || error.code !== existsCode) throw error;
    });
    await record(client, table, step);
  } catch (error) {
    await dropInvalidIndexes(client, step.sql).catch(() => {});
    throw error;
  } finally {
    await client.query('reset lock_timeout').catch(() => {});
  }
}

const existsCode = '42P07';

/** Of the indexes that the statement creates alone: another session may be building one of its own. */
async function dropInvalidIndexes(client: pg.Client, sql: string): Promise<void> {
  const names = [...sql.matchAll(/\bindex\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)/gi)].map(([, name]) => name);
  const { rows } = await client.query<{ name: string }>(
    `select i.indexrelid::regclass::text as name
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
      where not i.indisvalid and c.relname = any ($1) and n.nspname in ('control', 'models')`,
    [names],
  );
  for (const { name } of rows) await client.query(`drop index concurrently if exists ${name}`);
}

async function record(client: pg.Client, table: string, { name, sha256 }: Step): Promise<void> {
  await client.query(`insert into ${table} (name, sha256) values ($1, $2)`, [name, sha256]);
}

/** The table that records which steps were applied to a database. */
export const migrationTable = (schemas: readonly Schema[]): string => `${schemas[0]}.migration`;
