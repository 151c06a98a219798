import { lineOf } from './outcome.ts';
import { runVitest } from './vitest.ts';

// `npm test`: everything, on real services. Words after `--` go to vitest: `npm test -- test/walls.test.ts`.
const outcome = await runVitest(process.argv.slice(2));
console.log(lineOf(outcome));
process.exit(outcome.failed === 0 ? 0 : 1);
