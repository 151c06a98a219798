import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dashboards, readExposition } from '@tenantscope/docs';
import { findPrometheus, requirePrometheus } from '@tenantscope/local';
import { describe, expect, test } from 'vitest';

// `npm run torture` fetches promtool; other runs use it where it is present.
const isTorture = process.env.TENANTSCOPE_TORTURE === '1';
const programs = isTorture ? await requirePrometheus() : findPrometheus();
const folder = join(import.meta.dirname, '..', '..', 'observability');

describe.skipIf(programs === null)(
  'rules and expressions in the syntax of Prometheus',
  { tags: ['prometheus'] },
  () => {
    /** Throws with the output of the command where it fails. */
    const promtool = async (args: readonly string[], input?: string): Promise<string> => {
      const running = promisify(execFile)(programs?.promtool ?? '', args);
      running.child.stdin?.end(input);
      const { stdout, stderr } = await running.catch((error: { stdout: string; stderr: string }) => {
        throw new Error(`${error.stdout}${error.stderr}`);
      });
      return stdout + stderr;
    };

    test('the alert rules are valid', async () => {
      expect(await promtool(['check', 'rules', join(folder, 'alerts.yaml')])).toContain('SUCCESS');
    });

    test('each alert is quiet without its fault and fires with it', {
      tags: ['exhaustive'],
      timeout: 180_000,
    }, async () => {
      expect(await promtool(['test', 'rules', join(folder, 'alerts.test.yaml')])).toContain('SUCCESS');
    });

    test('a wrong rule is refused', async () => {
      await expect(checkExpressions(['rate(up)'])).rejects.toThrow('expected type range vector');
    });

    test('every expression of the dashboards is valid', async () => {
      const expressions = dashboards.flatMap(({ panels }) =>
        panels.flatMap(({ lines }) => lines.map(([, expression]) => expression)),
      );
      expect(await checkExpressions(expressions)).toContain('SUCCESS');
    });

    test('the metrics of every process have the names and descriptions that Prometheus recommends', async () => {
      for (const text of await readExposition()) expect(await promtool(['check', 'metrics'], text)).toBe('');
    });

    /** promtool of Debian 12 has no command that parses an expression: it parses them as recording rules. */
    async function checkExpressions(expressions: readonly string[]): Promise<string> {
      const directory = await mkdtemp(join(tmpdir(), 'tenantscope-rules-'));
      const file = join(directory, 'rules.json');
      const rules = expressions.map((expr, index) => ({ record: `dashboard:line:${index}`, expr }));
      try {
        // YAML contains JSON.
        await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboards', rules }] }));
        return await promtool(['check', 'rules', file]);
      } finally {
        await rm(directory, { recursive: true });
      }
    }
  },
);
