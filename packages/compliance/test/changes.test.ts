import type { ComplianceStatus } from '@tenantscope/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Baseline, buildStatusDocument } from '../src/index.ts';
import { anyInput, bareFacts, nowMs, requirementNamed } from './facts.ts';

const snapshotOf = (status: ComplianceStatus, given: Partial<Baseline> = {}): Baseline => ({
  snapshotId: 's1',
  takenAt: '2026-11-16T00:00:00.000Z',
  trigger: 'scheduled',
  catalogueVersion: status.catalogueVersion,
  status,
  ...given,
});

const key = 'iam.mfa.members';
const { articles } = requirementNamed(key);
const withMfa = (mfaRegistered: number | null, selected = false) => ({
  ...bareFacts,
  metrics: { [key]: { members: 100, mfaRegistered, unknown: 0 } },
  selections: [{ framework: 'nis2', selected, changedAtMs: nowMs, version: 1, digest: '00' }],
});

/** What NIS2's entry says when the number of those with a second factor went from one to the other. */
function changed(before: number | null, after: number | null, given: Partial<Baseline> = {}, selectedNow = false) {
  const baseline = snapshotOf(buildStatusDocument({ ...withMfa(before), baseline: null }), given);
  const { changes } = buildStatusDocument({ ...withMfa(after, selectedNow), baseline });
  const entry = changes.find(({ framework }) => framework === 'nis2');
  if (!entry) throw new Error('no entry for nis2');
  return entry;
}

const lists = ['improved', 'regressed', 'evaluatedNow', 'lostEvidence', 'added', 'removed'] as const;
const filled = (entry: ReturnType<typeof changed>) => lists.filter((list) => entry[list].length > 0);

describe('changes since a snapshot', () => {
  it('are empty before the first snapshot', () => {
    const { changes } = buildStatusDocument({ ...withMfa(99), baseline: null });
    expect(changes).toHaveLength(11);
    expect(changes[0]).toEqual({
      framework: 'eu_ai_act',
      baseline: null,
      readinessPercentBefore: null,
      readinessPercentNow: null,
      delta: null,
      comparable: false,
      improved: [],
      regressed: [],
      evaluatedNow: [],
      lostEvidence: [],
      added: [],
      removed: [],
      selectionChanged: false,
    });
  });

  it('are not computed against a snapshot of an unsupported format', () => {
    const now = buildStatusDocument({ ...withMfa(99), baseline: null });
    const { changes } = buildStatusDocument({ ...withMfa(99), baseline: { ...snapshotOf(now), status: null } });
    expect(changes[0]).toMatchObject({
      baseline: { snapshotId: 's1' },
      readinessPercentBefore: null,
      readinessPercentNow: now.frameworks[0]?.readinessPercent,
      delta: null,
      comparable: false,
    });
    expect(filled(changes[0] as (typeof changes)[number])).toEqual([]);
  });

  it('are empty right after a snapshot, whatever the facts', { tags: 'exhaustive' }, () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const baseline = snapshotOf(buildStatusDocument(input));
        for (const entry of buildStatusDocument({ ...input, baseline }).changes) {
          expect(lists.filter((list) => entry[list].length > 0)).toEqual([]);
          expect(entry).toMatchObject({ comparable: true, selectionChanged: false });
        }
      }),
      { numRuns: 20 },
    );
  });

  it('list improvements and regressions of the status with the primary metric', () => {
    expect(articles.some((id) => id.startsWith('NIS2'))).toBe(true);
    const better = changed(50, 99);
    expect(filled(better)).toEqual(['improved']);
    expect(better.improved).toEqual([
      {
        key,
        from: { status: 'not_met', evaluation: 'measured' },
        to: { status: 'met', evaluation: 'measured' },
        metric: { name: 'mfaPct', before: 50, after: 99 },
      },
    ]);
    expect(better.delta).toBeGreaterThan(0);
    expect(filled(changed(99, 95))).toEqual(['regressed']);
  });

  it('do not include a metric that changes without the status', () => {
    expect(filled(changed(50, 60))).toEqual([]);
  });

  it('list lost evidence separately from regressions, and found evidence separately from improvements', () => {
    expect(filled(changed(99, null))).toEqual(['lostEvidence']);
    expect(filled(changed(null, 20))).toEqual(['evaluatedNow']);
  });

  it('are not comparable across editions of the catalogue, evaluation rules or selections', () => {
    const earlier = { ...buildStatusDocument({ ...withMfa(50), baseline: null }), evaluatorVersion: '0' };
    expect(changed(50, 99, { status: earlier }).comparable).toBe(false);
    expect(changed(50, 99, { catalogueVersion: '2026.05' }).comparable).toBe(false);
    expect(changed(50, 99, {}, true)).toMatchObject({ comparable: false, selectionChanged: true });
    expect(changed(50, 99)).toMatchObject({ comparable: true, selectionChanged: false });
  });

  it('list requirements that were added to or removed from the catalogue', () => {
    const now = buildStatusDocument({ ...withMfa(99), baseline: null });
    const [first] = now.requirements.filter((one) => one.articles.some(({ framework }) => framework === 'nis2'));
    if (!first) throw new Error('nothing cites NIS2');
    const gone = { ...first, key: 'iam.given.up' };
    const earlier = { ...now, requirements: [...now.requirements.filter((one) => one !== first), gone] };
    const [entry] = buildStatusDocument({ ...withMfa(99), baseline: snapshotOf(earlier) }).changes.filter(
      ({ framework }) => framework === 'nis2',
    );
    expect(entry).toMatchObject({ added: [{ key: first.key }], removed: [{ key: 'iam.given.up' }] });
  });
});
