import { buildStatusDocument, requirementCatalogue, type StatusInput } from '@tenantscope/compliance';
import { anyInput, bareFacts, createAttestation } from '@tenantscope/compliance/test/facts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rollUpArticles } from './article-roll-up.ts';

/** A tenant in good order: some requirements attested, of the measured ones either nothing happened or few values. */
const orderlyTenant: fc.Arbitrary<StatusInput> = fc
  .record({
    attested: fc.subarray(requirementCatalogue.filter(({ kind }) => kind === 'attested').map(({ key }) => key)),
    values: fc.record(
      Object.fromEntries(
        requirementCatalogue.map(({ key, metricsJson }) => [
          key,
          fc.oneof(
            fc.constant(Object.fromEntries(Object.keys(metricsJson).map((name) => [name, 0]))),
            fc.record(
              Object.fromEntries(Object.keys(metricsJson).map((name) => [name, fc.integer({ min: 0, max: 2 })])),
            ),
            fc.constant({}),
          ),
        ]),
      ),
    ),
  })
  .map(({ attested, values }) => ({
    ...bareFacts,
    metrics: values,
    attestations: attested.map((key) => createAttestation(key)),
    selections: [],
    baseline: null,
  }));

it('every article of any tenant has the status and coverage of an independent roll-up', { tags: 'exhaustive' }, () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.oneof(anyInput, orderlyTenant), (input) => {
      const { requirements, frameworks } = buildStatusDocument(input);
      const expected = rollUpArticles(requirements);
      expect(frameworks.map(({ key }) => key)).toEqual(Object.keys(expected));
      for (const { key, controls } of frameworks)
        expect(
          controls.map(({ id, status, evaluation, coverage, metWithExceptionsCount, requirementKeys }) => ({
            id,
            status,
            isApplicable: evaluation !== 'not_applicable',
            coverage,
            isExcepted: metWithExceptionsCount > 0,
            requirementKeys,
          })),
          key,
        ).toEqual(expected[key]);
      for (const { status, coverage } of frameworks.flatMap(({ controls }) => controls))
        seen.set(`${status} ${coverage}`, (seen.get(`${status} ${coverage}`) ?? 0) + 1);
    }),
    { numRuns: 200 },
  );
  // Every combination occurred: the comparison above was not about one of them alone.
  const statuses = ['not_met', 'at_risk', 'not_evaluated', 'met'];
  const combinations = statuses.flatMap((status) => [`${status} main`, `${status} indicator`]);
  expect([...seen.keys()].toSorted()).toEqual([...combinations, 'met null', 'not_evaluated null'].toSorted());
});

it('counts of articles are those of the controls, and indicators in order are not among the met', () => {
  fc.assert(
    fc.property(fc.oneof(anyInput, orderlyTenant), (input) => {
      const { requirements, frameworks } = buildStatusDocument(input);
      const expected = rollUpArticles(requirements);
      for (const { key, articleCounts } of frameworks) {
        const select = (is: string, coverage: readonly (string | null)[]) =>
          expected[key]?.filter((one) => one.status === is && coverage.includes(one.coverage)) ?? [];
        const count = (...of: Parameters<typeof select>) => select(...of).length;
        const met = select('met', ['main']);
        expect(articleCounts, key).toEqual({
          met: met.filter(({ isExcepted }) => !isExcepted).length,
          metWithExceptions: met.filter(({ isExcepted }) => isExcepted).length,
          indicatorsMet: count('met', ['indicator']),
          nothingToMeasure: count('met', [null]),
          atRisk: count('at_risk', ['main', 'indicator']),
          notMet: count('not_met', ['main', 'indicator']),
          notEvaluated: count('not_evaluated', ['main', 'indicator']),
          notApplicable: count('not_evaluated', [null]),
        });
      }
    }),
    { numRuns: 20 },
  );
});
