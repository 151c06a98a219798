import { afterAll } from 'vitest';
import { liveProcesses } from '../installation/live-processes.ts';

// Before each file of a worker. Hooks after all tests run in the reverse of their order, so this one runs last: a process that a file leaves would take
// processor time from all further files of its worker.
afterAll(() => {
  for (const [description, kill] of liveProcesses()) {
    console.warn(`ended ${description}, which the tests of this file had started and not ended`);
    kill();
  }
  liveProcesses().clear();
});
