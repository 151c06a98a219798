// @module-tag torture
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nothingLost } from '../installation/record-flow.ts';
import type { NetworkHost } from '../services/network-hosts.ts';
import { loseLastCommits } from './failover-faults.ts';
import { canFailOver, type FailoverInstallation, startFailoverInstallation } from './failover-installation.ts';
import { nothingMissed, pollDuring } from './failover-run.ts';

// Three servers with Patroni whose commits wait for no standby. A promoted one lacks the last commits, and its clock is behind that of the first.

describe.skipIf(!(await canFailOver()))('with asynchronous standbys', () => {
  let failover: FailoverInstallation;
  beforeAll(async () => {
    failover = await startFailoverInstallation({
      isSynchronous: false,
      clocks: { 'pg-2': '-2s', 'pg-3': '-2s' },
    });
  }, 600_000);
  afterAll(() => failover?.[Symbol.asyncDispose](), 120_000);

  test('nothing is lost or repeated and no served window changes while every member bounds pages', async () => {
    const { installation, protection } = failover;
    const apis = await failover.startApis(protection);
    const run = await pollDuring(installation, apis, (sent) =>
      failover.failInTurn('failovers to an asynchronous standby', sent),
    );
    expect(run.flow).toEqual(nothingLost);
    for (const judged of run.judged) expect(judged).toEqual(nothingMissed);
  }, 3_600_000);

  /** The first member, whose clock is right, is the primary; it fails with commits that no standby has. */
  async function loseCommitsOfFirst() {
    const { cluster, installation } = failover;
    await cluster.untilHealthy();
    const [first, ...others] = cluster.members as [NetworkHost, ...NetworkHost[]];
    if ((await cluster.primary()) !== first) await cluster.switchOver(first);
    await cluster.untilHealthy();
    // Less than an epoch lifts lanes.
    for (const member of others) await cluster.setClock(member, '-4.8s');
    const api = await installation.startApi();
    return pollDuring(installation, [api.baseUrl], async () => {
      await loseLastCommits(cluster, others);
      await cluster.untilHealthy();
      for (const member of others) await cluster.setClock(member, '-2s');
    });
  }

  test('without the bound rows are served twice and windows change, and the epoch prevents that rows are lost', async () => {
    const { flow, judged } = await loseCommitsOfFirst();
    expect(flow).toEqual(nothingLost);
    expect(judged[0]).toMatchObject({ missedInWindows: 0, missedByCursor: 0 });
    expect(judged[0]?.readTwiceByCursor).toBeGreaterThan(0);
    expect(judged[0]?.changedWindows).toBeGreaterThan(0);
  }, 600_000);
});
