import type { ComplianceStatus } from '@tenantscope/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildStatusDocument, writeFindingsCsv, writeOscal, writeStatusCsv } from '../src/index.ts';
import { anyInput, bareFacts, createAttestation, dayMs, nowMs } from './facts.ts';

const status = buildStatusDocument({
  ...bareFacts,
  attestations: [createAttestation('ai.attest.fria', { attestedBy: '=cmd|/c calc' })],
  selections: [],
  baseline: null,
});

/** As a spreadsheet reads it. */
const readLines = (csv: string): string[] => csv.split('\r\n').slice(0, -1);

test('the CSV of a status has a line for each requirement, with its metric and thresholds', () => {
  const [header = '', ...lines] = readLines(writeStatusCsv(status));
  expect(lines).toHaveLength(status.requirements.length);
  expect(header.split(',').slice(0, 5)).toEqual(['key', 'title', 'titlePl', 'area', 'status']);
  for (const [index, { key }] of status.requirements.entries()) expect(lines[index]?.startsWith(`${key},`)).toBe(true);
  const attested = lines.find((line) => line.startsWith('ai.attest.fria,'));
  expect(attested).toContain(",'=cmd|/c calc,");
});

test('the CSV of findings has the facts behind each', () => {
  const csv = writeFindingsCsv([
    {
      subjectType: 'user',
      subjectId: 'u1',
      subjectName: 'Anna, "A"',
      state: 'failing',
      reason: 'mfa_not_registered',
      since: null,
      count: 2,
      detail: { department: 'Finance', note: '@x' },
      exception: { id: 'e1', approvedBy: '+CISO', validUntil: '2027-01-01T00:00:00.000Z', reason: 'Legacy' },
    },
  ]);
  expect(csv).toBe(
    'subjectType,subjectId,subjectName,state,reason,since,count,detail,exceptionId,approvedBy,validUntil,exceptionReason\r\n' +
      'user,u1,"Anna, ""A""",failing,mfa_not_registered,,2,department: Finance; note: @x,e1,\'+CISO,2027-01-01T00:00:00.000Z,Legacy\r\n',
  );
});

interface Oscal {
  readonly uuid: string;
  readonly results: readonly {
    readonly observations?: readonly {
      readonly uuid: string;
      readonly methods: readonly string[];
      readonly expires?: string;
    }[];
    readonly findings?: readonly {
      readonly target: {
        readonly 'target-id': string;
        readonly status: { readonly state: string; readonly reason: string };
      };
      readonly 'related-observations': readonly { readonly 'observation-uuid': string }[];
    }[];
  }[];
}
const readOscal = (document: ComplianceStatus): Oscal => JSON.parse(writeOscal(document))['assessment-results'];

test('OSCAL has a finding and an observation for each evaluated requirement of any status', {
  tags: 'exhaustive',
}, () => {
  const expected = { met: 'satisfied pass', at_risk: 'not-satisfied other', not_met: 'not-satisfied fail' };
  fc.assert(
    fc.property(anyInput, (input) => {
      const document = buildStatusDocument(input);
      const [result] = readOscal(document).results;
      const observed = new Set(result?.observations?.map(({ uuid }) => uuid));
      const found = new Map(result?.findings?.map((one) => [one.target['target-id'], one]));
      for (const { key, status: verdict } of document.requirements) {
        const target = found.get(key)?.target.status;
        expect(target && `${target.state} ${target.reason}`).toBe(expected[verdict as keyof typeof expected]);
      }
      for (const { 'related-observations': related } of found.values())
        for (const one of related) expect(observed).toContain(one['observation-uuid']);
      expect(observed.size).toBe(found.size);
    }),
    { numRuns: 20 },
  );
});

test('the same status gives the same document, and another one has ids of its own', () => {
  expect(writeOscal(status)).toBe(writeOscal(status));
  expect(readOscal({ ...status, generatedAt: '2026-11-21T12:00:00.001Z' }).uuid).not.toBe(readOscal(status).uuid);
});

test('exports show the status and readiness without exceptions', () => {
  const key = 'iam.mfa.members';
  const frameworks = status.frameworks.map((one) => ({
    ...one,
    ...{ selected: one.key === 'nis2', readinessPercent: 50, metWithExceptionsCount: 1 },
    ...{ metCount: 2, atRiskCount: 2, notMetCount: 0, notEvaluatedCount: 0 },
  }));
  const document: ComplianceStatus = {
    ...status,
    frameworks,
    requirements: status.requirements.map((one) =>
      one.key === key
        ? {
            ...one,
            status: 'met',
            reason: 'excepted',
            exceptions: { count: 2, value: 100, statusWithout: 'at_risk', inForce: [], inForceCount: 1 },
          }
        : one,
    ),
  };
  const [header = '', ...lines] = readLines(writeStatusCsv(document));
  expect(header.endsWith(',statusWithoutExceptions')).toBe(true);
  expect(lines.find((line) => line.startsWith(`${key},`))).toMatch(/,at_risk$/);
  const text = writeOscal(document);
  const property = (name: string, value: string) => JSON.stringify({ name, value }).slice(0, -1);
  expect(text).toContain(property('status-without-exceptions', 'at_risk'));
  expect(text).toContain(property('readiness-percent', '50'));
  expect(text).toContain(property('readiness-percent-without-exceptions', '25'));
});

test('an attested observation in OSCAL expires when a withdrawal is planned before the end of the validity', () => {
  const expiryOf = (withdrawalMs: number | null) => {
    const withdrawal = withdrawalMs === null ? null : { atMs: withdrawalMs, by: 'ines', reason: null };
    const attestations = [createAttestation('ai.attest.fria', { validUntilMs: nowMs + 9 * dayMs, withdrawal })];
    const { results } = readOscal(buildStatusDocument({ ...bareFacts, attestations, selections: [], baseline: null }));
    return results[0]?.observations?.flatMap(({ expires }) => expires ?? []);
  };
  expect(expiryOf(null)).toEqual(['2026-11-30T12:00:00.000Z']);
  expect(expiryOf(nowMs + dayMs)).toEqual(['2026-11-22T12:00:00.000Z']);
});
