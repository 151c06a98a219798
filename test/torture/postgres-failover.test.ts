// @module-tag torture
import { isDeepStrictEqual } from 'node:util';
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

  /** Pollers of a standby, with and without the bound, while commits are lost that no other standby has. */
  async function loseCommitsOfStandby() {
    const { cluster, installation, protection } = failover;
    await cluster.untilHealthy();
    const { synchronous, asynchronous } = await cluster.standbys();
    const read = { TENANTSCOPE_POSTGRES_READ_URLS: cluster.urlOn(installation.database.roles.api, asynchronous) };
    await using unbounded = await installation.startApi(read);
    await using bounded = await installation.startApi({ ...read, ...protection });
    return await pollDuring(installation, [unbounded.baseUrl, bounded.baseUrl], async () => {
      await loseLastCommits(cluster, [synchronous]);
      await cluster.untilHealthy();
    });
  }

  test('a standby that is not bounded by the promoted one has served rows that are lost', async () => {
    // Of the commits that wait when the primary fails, the standby has one of each lane: of rows, or of a tick that holds back the rows.
    let isLost = false;
    for (let attempt = 1; attempt <= 5 && !isLost; attempt++) {
      const { flow, judged } = await loseCommitsOfStandby();
      expect(flow).toEqual(nothingLost);
      expect(judged[1]).toEqual(nothingMissed);
      isLost = !isDeepStrictEqual(judged[0], nothingMissed);
    }
    expect(isLost).toBe(true);
  }, 600_000);
});
