import { expect, test } from 'vitest';
import { interleave } from './test-order.ts';

test('two lists of files are mixed in the ratio of their lengths, each in its order', () => {
  expect(interleave(['A', 'B'], ['1', '2', '3', '4', '5', '6'])).toEqual(['A', '1', '2', '3', 'B', '4', '5', '6']);
  expect(interleave(['A', 'B', 'C'], ['1'])).toEqual(['A', 'B', '1', 'C']);
  expect(interleave([], ['1', '2'])).toEqual(['1', '2']);
  expect(interleave(['A', 'B'], [])).toEqual(['A', 'B']);
});
