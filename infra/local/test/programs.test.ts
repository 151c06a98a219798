import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { requireProgram } from '../src/programs.ts';

const canInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');

test.skipIf(!canInstall)(
  'packages that an interrupted run left half installed are configured before others are installed',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'programs-'));
    const [configured, installed] = [join(directory, 'configured'), join(directory, 'installed')];
    const scripts = {
      'apt-get': `if [ ! -e ${configured} ]; then echo "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem." >&2; exit 100; fi
touch ${installed}`,
      dpkg: `[ "$*" = "--configure -a" ] && touch ${configured}`,
    };
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(directory, name), 0o755);
    }
    const { PATH } = process.env;
    process.env.PATH = `${directory}${delimiter}${PATH}`;
    try {
      const find = () => (existsSync(installed) ? installed : null);
      expect(await requireProgram(find, { what: 'A program', packages: ['program'], instead: 'X' })).toBe(installed);
    } finally {
      process.env.PATH = PATH;
      rmSync(directory, { recursive: true });
    }
  },
);
