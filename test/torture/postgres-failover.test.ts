// @module-tag torture
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nothingLost } from '../installation/record-flow.ts';
import { loseLastCommits } from './failover-faults.ts';
import { canFailOver, type FailoverInstallation, startFailoverInstallation } from './failover-installation.ts';
import { nothingMissed, pollDuring } from './failover-run.ts';

// Three servers with Patroni, a commit waits for one standby, one clock is 2 s behind; records arrive and are polled while primaries fail.

describe.skipIf(!(await canFailOver()))('with a synchronous standby', () => {
  let failover: FailoverInstallation;
  beforeAll(async () => {
    failover = await startFailoverInstallation({ isSynchronous: true, clocks: { 'pg-2': '-2s' } });
  }, 600_000);
  afterAll(() => failover?.[Symbol.asyncDispose](), 120_000);

  test('nothing is lost or repeated and no served window changes while primaries fail', async () => {
    const { installation, protection } = failover;
    const apis = await failover.startApis(protection);
    const run = await pollDuring(installation, apis, (sent) =>
      failover.failInTurn('failovers to a synchronous standby', sent),
    );
    expect(run.flow).toEqual(nothingLost);
    for (const judged of run.judged) expect(judged).toEqual(nothingMissed);
  }, 3_600_000);

  test('a standby that is not bounded by the promoted one has served rows that are lost', async () => {
    const { cluster, installation, protection } = failover;
    await cluster.untilHealthy();
    const { synchronous, asynchronous } = await cluster.standbys();
    const read = { TENANTSCOPE_POSTGRES_READ_URLS: cluster.urlOn(installation.database.roles.api, asynchronous) };
    const [unbounded, bounded] = await Promise.all([
      installation.startApi(read),
      installation.startApi({ ...read, ...protection }),
    ]);
    const run = await pollDuring(installation, [unbounded.baseUrl, bounded.baseUrl], async () => {
      await loseLastCommits(cluster, [synchronous]);
      await cluster.untilHealthy();
    });
    expect(run.flow).toEqual(nothingLost);
    expect(run.judged[0]).not.toEqual(nothingMissed);
    expect(run.judged[1]).toEqual(nothingMissed);
  }, 600_000);
});
