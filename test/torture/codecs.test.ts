import { checkDamagedBatches, checkDamagedContent } from '@tenantscope/ingest/test/damaged-batches';
import { test } from 'vitest';
import { isLong, seed } from './random.ts';

// fast-check takes 32 bits; the seed of the run may be any text of digits.
const parameters = { seed: Number(BigInt(seed) % 2n ** 31n), numRuns: isLong ? 200_000 : 300 };

test(
  'content of every codec, damaged in any way, is decompressed within the bound or refused',
  () => checkDamagedContent(parameters),
  1_800_000,
);

test(
  'batches damaged in any way are decoded as written or end their partition',
  () => checkDamagedBatches({ ...parameters, numRuns: parameters.numRuns / 4 }),
  1_800_000,
);
