import { expect, test } from 'vitest';
import { isDataError, isTransientError } from '../src/retry.ts';

test.each([
  ['a value out of range', '22003'],
  ['a repeated key', '23505'],
  ['an index entry that is too long', '54000'],
])('%s is an error of the record, which no repetition resolves', (_, code) => {
  const error = Object.assign(new Error(), { code });
  expect([isDataError(error), isTransientError(error)]).toEqual([true, false]);
});

test.each([
  ['a full disk', '53100'],
  ['a shutdown', '57P01'],
  ['a lock that is not available', '55P03'],
  ['a deadlock', '40P01'],
])('%s is transient', (_, code) => {
  const error = Object.assign(new Error(), { code });
  expect([isDataError(error), isTransientError(error)]).toEqual([false, true]);
});
