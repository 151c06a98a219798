import type { CellUrls, Log } from '@tenantscope/runtime';
import type { FailoverState } from '@tenantscope/store/connection';
import { openReadModels, type ReadModels, type Watermark, type WatermarkBounds } from '@tenantscope/store/read';
import { silentMaxMs } from '../limits.ts';
import type { ApiMetrics } from '../metrics.ts';

/** The standbys that may be promoted: what they lack is not served. */
export interface Standbys extends AsyncDisposable {
  readonly models: readonly ReadModels[];
  /** For messages: their names, otherwise host and port. */
  readonly labels: readonly string[];
  /** Names in synchronous_standby_names; empty where each of them always bounds pages. */
  readonly names: readonly string[];
  readonly variables: Pick<CellUrls['variables'], 'standbyNames'>;
}

/** Opens connections to the standbys. One of them may be down. */
export function openStandbys({ variables, standbys: urls, standbyNames: names }: CellUrls): Standbys {
  if (names.length > 0 && names.length !== urls.length)
    throw new Error(`${variables.standbyNames} needs a name for each address of ${variables.standbys}`);
  const options = { name: 'tenantscope api', maxConnections: 1, variable: variables.standbys };
  const models = urls.map((url) => openReadModels(url, options));
  return {
    models,
    names,
    variables,
    labels: names.length > 0 ? names : urls.map((url) => new URL(url).host),
    async [Symbol.asyncDispose]() {
      await Promise.all(models.map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

function describeProtection(
  bounds: WatermarkBounds,
  { labels, variables }: Pick<Standbys, 'labels' | 'variables'>,
): Pick<FailoverState, 'problem' | 'waitsFor'> {
  const bounding = bounds.standbys.flatMap((standby, index) =>
    standby.isBounding ? [{ ...standby, label: labels[index] ?? '' }] : [],
  );
  const silent = bounding.filter((standby) => standby.silentMs === null || standby.silentMs >= silentMaxMs);
  return {
    problem: findProblem(bounds, bounding.length, variables.standbyNames),
    waitsFor: silent.length === 0 ? null : silent.map(({ label }) => label).join(', '),
  };
}

function findProblem(bounds: WatermarkBounds, boundingCount: number, namesVariable: string): string | null {
  if (bounds.isSuperseded) return 'requests are read from a server that another one has replaced; nothing is served';
  if (bounds.unlisted.length > 0)
    return `commits wait for ${bounds.unlisted.join(', ')}, which ${namesVariable} does not name: it may be promoted without rows that were served`;
  if (bounds.standbys.length > 0 && boundingCount === 0)
    return 'commits wait for no standby: if the primary is lost, rows that were served are lost';
  return null;
}

export interface ProtectionReport {
  /** Updates the gauges, and logs when the protection changes. */
  measure(): void;
  /** For operators; null without standbys. */
  read(): FailoverState | null;
}

interface ProtectedCell {
  readonly name: string;
  readonly standbys: Pick<Standbys, 'labels' | 'variables'>;
  readonly watermark: Pick<Watermark, 'bounds' | 'settled'>;
}

export function createProtectionReport(
  { name: cell, standbys: own, watermark }: ProtectedCell,
  { metrics, log }: { readonly metrics: ApiMetrics; readonly log: Pick<Log, 'info' | 'warn'> },
): ProtectionReport {
  const { labels } = own;
  let logged = '';
  const read = (): FailoverState | null => {
    if (labels.length === 0) return null;
    const bounds = watermark.bounds();
    const nowMs = watermark.settled('logs')?.databaseNowMs;
    const standbys = bounds.standbys.map(({ isBounding, settledThroughMs }, index) => {
      const throughMs = settledThroughMs('logs');
      const lagMs = throughMs === null || nowMs === undefined ? null : Math.round(nowMs - throughMs);
      return { name: labels[index] ?? '', isBounding, lagMs };
    });
    return { epoch: bounds.epoch?.number ?? null, ...describeProtection(bounds, own), standbys };
  };
  return {
    read,
    measure() {
      metrics.epoch.set({ cell }, watermark.bounds().epoch?.number ?? 0);
      const state = read();
      metrics.failoverProtected.set({ cell }, state === null || state.problem === null ? 1 : 0);
      if (state === null) return;
      for (const { name, isBounding, lagMs } of state.standbys) {
        metrics.standbyBounding.set({ cell, standby: name }, isBounding ? 1 : 0);
        if (lagMs !== null) metrics.standbyLag.set({ cell, standby: name }, lagMs / 1_000);
      }
      const { problem, waitsFor } = state;
      const text = JSON.stringify({ problem, waitsFor });
      if (text === logged) return;
      logged = text;
      if (problem === null && waitsFor === null)
        log.info({ cell }, 'every standby that may be promoted bounds the watermark');
      else log.warn({ cell, problem, waitsFor }, 'failover protection changed');
    },
  };
}
