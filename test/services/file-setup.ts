import { afterAll, expect } from 'vitest';
import { liveProcesses } from '../installation/live-processes.ts';

// Before each file of a worker. Hooks after all tests run in the reverse of their order, so this one runs last: a process that a file leaves would take
// processor time from all further files of its worker.
afterAll(() => {
  const left = [...liveProcesses()];
  for (const [, kill] of left) kill();
  liveProcesses().clear();
  expect(
    left.map(([description]) => description),
    'processes that the tests of this file started and did not end',
  ).toEqual([]);
});
