import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSecretFile } from '../src/collection/secret-file.ts';

test('a pipe or a device as secret file is refused at once, and a link to a file is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secret-file-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/zero', folder])
    await expect(readSecretFile(path)).rejects.toThrow(`the secret file ${path} is not a regular file`);
  await expect(readSecretFile(join(folder, 'absent'))).rejects.toThrow('(ENOENT)');
  await writeFile(join(folder, 'secret'), 'value\n');
  await symlink('secret', join(folder, 'link'));
  expect(await readSecretFile(join(folder, 'link'))).toBe('value');
});
