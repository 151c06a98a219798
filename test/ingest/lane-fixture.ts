import pg from 'pg';
import { afterAll } from 'vitest';
import { type LaneWriter, openLaneWriter } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

export interface LaneFixture {
  readonly database: TestDatabase;
  readonly lanes: LaneWriter;
  /** Past row-level security. */
  readonly superuser: pg.Client;
}

/** A database for the tests of one file, with lanes that write to it. */
export async function openLaneFixture({ partitions }: { partitions: number }): Promise<LaneFixture> {
  const database = await createTestDatabase();
  const lanes = await openLaneWriter(database, { partitions });
  const superuser = new pg.Client(database.superuser);
  await superuser.connect();
  afterAll(async () => {
    await superuser.end();
    await lanes[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });
  return { database, lanes, superuser };
}
