import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const program = join(import.meta.dirname, '..', '..', 'apps', 'cli', 'bin', 'tenantscope.mjs');

test('a command whose standard error is closed ends with its own exit status', async () => {
  const command = spawn(process.execPath, [program, 'nonsense'], { stdio: ['ignore', 'ignore', 'pipe'] });
  command.stderr.destroy();
  expect(await once(command, 'exit')).toEqual([2, null]);
});
