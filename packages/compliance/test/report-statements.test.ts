import type { RequirementStatus } from '@tenantscope/contract';
import { describe, expect, it } from 'vitest';
import { type Attestation, buildStatusDocument, type Facts } from '../src/index.ts';
import { createTranslate } from '../src/report/language.ts';
import { listNoDataLimitations, listPercentLimitations } from '../src/report/limitations.ts';
import { explainReason } from '../src/report/requirement-cells.ts';
import { buildAttestationTable } from '../src/report/tables/attestation-table.ts';
import { buildChangesTable, type RequirementChange } from '../src/report/tables/changes-table.ts';
import { executiveSummary } from '../src/report/templates/executive-summary.ts';
import { bareFacts, createAttestation, dayMs, nowMs } from './facts.ts';

const translate = createTranslate('en');
const requirement = (key: string, given: Partial<RequirementStatus>): RequirementStatus =>
  ({ key, title: key, titlePl: key, status: 'not_evaluated', evaluation: 'no_data', reason: null, ...given }) as never;
const listTexts = (...requirements: RequirementStatus[]) => listNoDataLimitations(requirements).map(translate);

describe('the limitations of requirements without data', () => {
  it('name no source as missing where subjects of unknown state prevented the evaluation', () => {
    expect(listTexts(requirement('dev.unmanaged_access', { reason: 'unknown' }))).toEqual([
      'Requirements that could not be evaluated because the state of half of the subjects or more is unknown: 1.',
    ]);
  });

  it('count requirements by what was missing, and name the sources of the others alone', () => {
    const texts = listTexts(
      requirement('dev.unmanaged_access', { reason: 'unknown' }),
      requirement('data.inventory.fresh', { reason: 'source_missing' }),
      requirement('iam.mfa.members', { reason: 'source_stale' }),
      requirement('dev.encrypted', { reason: 'empty_population' }),
    );
    expect(texts).toHaveLength(3);
    expect(texts[0]).toMatch(
      /lack of data: 2\. At least one of these sources .*: Files, Sensitive data types, Users\.$/,
    );
    expect(texts[1]).toContain('unknown: 1.');
    expect(texts[2]).toContain('nothing to measure: 1.');
  });

  it('are absent where every requirement was evaluated', () => {
    expect(listTexts(requirement('iam.mfa.members', { status: 'met', evaluation: 'measured' }))).toEqual([]);
  });
});

describe('the limitation of percentages', () => {
  const thresholds = (direction: string, unit: string) => ({ thresholds: { direction, unit } }) as never;

  it('is there where a smaller share is better', () => {
    expect(listPercentLimitations([requirement('a', thresholds('lower', 'percent'))])).toHaveLength(1);
    expect(listPercentLimitations([requirement('a', thresholds('higher', 'percent'))])).toEqual([]);
    expect(listPercentLimitations([requirement('a', thresholds('lower', 'hours'))])).toEqual([]);
    expect(listPercentLimitations([requirement('a', { thresholds: null })])).toEqual([]);
  });
});

const attestation = (given: object) =>
  ({
    verdict: 'compliant',
    justification: null,
    attestedBy: 'ada',
    attestedAt: '2026-01-01T00:00:00.000Z',
    evidenceRefs: [],
    recordedBy: 'ben',
    recordedAt: '2026-01-01T00:00:00.000Z',
    withdrawnAt: null,
    withdrawnBy: null,
    withdrawalReason: null,
    validUntil: '2027-01-01T00:00:00.000Z',
    statedValidUntil: null,
    history: [],
    ...given,
  }) as never;

describe('the reason of an attested status', () => {
  const explain = (status: string, verdict: string) =>
    explainReason(
      requirement('ai.attest.literacy', {
        status: status as never,
        evaluation: 'attested',
        attestation: attestation({ verdict }),
      }),
      translate,
    );

  it('is the end of the validity where a compliant verdict is at risk', () => {
    expect(explain('at_risk', 'compliant')).toBe('The attestation ends within 30 days');
  });

  it('is the verdict otherwise', () => {
    expect(explain('met', 'compliant')).toBe('Attested as compliant');
    expect(explain('at_risk', 'partial')).toBe('Attested as partly compliant');
    expect(explain('not_met', 'non_compliant')).toBe('Attested as not compliant');
  });
});

describe('the table of attestations', () => {
  const buildRow = (given: object, of: Partial<RequirementStatus> = {}) => {
    const row = requirement('ai.attest.fria', {
      evaluation: 'attested',
      evaluatedAt: '2026-02-01T00:00:00.000Z',
      attestation: attestation(given),
      ...of,
    });
    const { content } = buildAttestationTable({ translate, lang: 'en' }, [row]) as { content: { rows: unknown[][] } };
    return { verdict: content.rows[0]?.[1], notes: content.rows[0]?.at(-1) };
  };

  it('names a withdrawal that is planned', () => {
    const withdrawal = { withdrawnBy: 'ines', withdrawalReason: 'renewal' };
    expect(buildRow({ ...withdrawal, withdrawnAt: '2026-02-02T00:00:00.000Z' })).toEqual({
      verdict: 'compliant',
      notes: 'Withdrawal planned by ines on 2 Feb 2026: renewal.',
    });
    expect(buildRow({ ...withdrawal, withdrawnAt: '2026-02-01T00:00:00.000Z' })).toEqual({
      verdict: 'withdrawn',
      notes: 'Withdrawn by ines on 1 Feb 2026: renewal.',
    });
  });

  it('shows a duty that does not apply as such, whatever became of its attestation', () => {
    const validUntil = '2026-01-15T00:00:00.000Z';
    expect(buildRow({ validUntil }).verdict).toBe('expired');
    expect(buildRow({ validUntil }, { evaluation: 'not_applicable' }).verdict).toBe('not_applicable');
  });

  it('contains the justification of the verdict', () => {
    const row = requirement('ai.attest.fria', {
      evaluation: 'attested',
      evaluatedAt: '2026-02-01T00:00:00.000Z',
      attestation: attestation({ verdict: 'partial', justification: 'Done for one of two systems.' }),
    });
    const { content } = buildAttestationTable({ translate, lang: 'en' }, [row]) as { content: { rows: unknown[][] } };
    expect(content.rows[0]?.at(-1)).toBe('Done for one of two systems.');
  });
});

describe('the attestations that expire, in the executive summary', () => {
  const duties = { literacy: 'ai.attest.literacy', registration: 'ai.attest.public_registration' };
  const list = (attestations: readonly Attestation[], given: Partial<Facts> = {}) => {
    const status = buildStatusDocument({ ...bareFacts, ...given, attestations, selections: [], baseline: null });
    const noRows = { rows: [], total: 0 };
    const facts = { status, changes: null, alerts: noRows, agents: noRows, threats: 0 };
    const context = { lang: 'en', translate, fromMs: nowMs - dayMs, toMs: nowMs, timeZone: 'UTC', frameworks: [] };
    const { sections } = executiveSummary.write(facts, context as never);
    const { content } = sections.attestations as { content: { rows: unknown[][] } };
    return content.rows.map(([, by, until, left]) => [by, until, left]);
  };
  const by = (attestedBy: string, given: Partial<Attestation> = {}) =>
    createAttestation(duties.literacy, { attestedBy, ...given });
  const withdrawnAt = (atMs: number) => ({ withdrawal: { atMs, by: 'ines', reason: null } });

  it('contain one whose withdrawal is planned, with that end, and not one that was withdrawn', () => {
    expect(list([by('mara')])).toEqual([]);
    expect(list([by('mara', withdrawnAt(nowMs + dayMs))])).toEqual([['mara', '2026-11-22T12:00:00.000Z', 1]]);
    expect(list([by('mara', withdrawnAt(nowMs))])).toEqual([]);
  });

  it('contain the end of the validity where that is before the planned withdrawal', () => {
    const until = { validUntilMs: nowMs + dayMs };
    expect(list([by('mara', { ...until, ...withdrawnAt(nowMs + 2 * dayMs) })])).toEqual([
      ['mara', '2026-11-22T12:00:00.000Z', 1],
    ]);
  });

  it('leave out a duty that does not apply to the tenant', () => {
    const expired = createAttestation(duties.registration, { validUntilMs: nowMs - dayMs });
    expect(list([expired])).toHaveLength(1);
    expect(list([expired], { tenantFacts: { publicAuthority: false } })).toEqual([]);
  });
});

describe('the table of changes', () => {
  const change = (kind: RequirementChange['kind'], key: string, from: object, to: object) =>
    ({ kind, change: { key, from, to, metric: null } }) as RequirementChange;
  const measured = (status: string) => ({ status, evaluation: 'measured' });
  const outOfScope = { status: 'not_evaluated', evaluation: 'not_applicable' };

  it('shows what is met only with exceptions and what does not apply as such', () => {
    const changed = [
      change('improved', 'iam.mfa.members', measured('not_met'), measured('met')),
      change('lostEvidence', 'dev.encrypted', measured('met'), outOfScope),
      change('evaluatedNow', 'dev.stale', outOfScope, measured('met')),
    ];
    const requirements = [
      requirement('iam.mfa.members', { ...measured('met'), reason: 'excepted' } as never),
      requirement('dev.encrypted', outOfScope as never),
      requirement('dev.stale', { ...measured('met'), reason: 'threshold' } as never),
    ];
    const build = (lang: 'en' | 'pl') => {
      const context = { lang, translate: createTranslate(lang) } as never;
      return (buildChangesTable(context, changed, { requirements } as never) as { content: { rows: unknown[][] } })
        .content.rows;
    };
    expect(build('en')).toEqual([
      ['iam.mfa.members', 'Better', 'not_met', 'met_with_exceptions'],
      ['dev.encrypted', 'No longer applicable', 'met', 'not_applicable'],
      ['dev.stale', 'Evaluated now', 'not_applicable', 'met'],
    ]);
    expect(build('pl').map(([, kind]) => kind)).toEqual(['Lepiej', 'Już nie dotyczy', 'Teraz ocenione']);
  });
});
