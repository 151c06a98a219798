import { getReport } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { invalidParameter } from '../src/invalid-parameter.ts';

test('the message refers to the allowed values only where details list them', () => {
  const late = invalidParameter(getReport, 'from', 'is later than to');
  expect(late.message).toBe('The parameter from is later than to. Correct it and repeat the request.');
  expect(late.details).toEqual([
    { parameter: 'from', reason: 'is later than to', example: getReport.parameters.from.example },
  ]);
  const other = invalidParameter(getReport, 'framework', 'is required by framework-readiness', ['nis2', 'dora']);
  expect(other.message).toMatch(/Correct it and repeat the request; details list the allowed values\.$/);
  expect(other.details?.[0]?.allowed).toEqual(['nis2', 'dora']);
});
