import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  commaList,
  databaseUrl,
  describeVariables,
  port,
  postgresVariables,
  processVariables,
  readProcessConfig,
  secret,
  variable,
} from '../src/index.ts';

const shape = z.object({
  TENANTSCOPE_EXAMPLE_DATABASE_URL: databaseUrl('A database.'),
  ...postgresVariables,
  TENANTSCOPE_SECRETS: secret('Secrets.', commaList().default([])),
  TENANTSCOPE_PORT: port('A port.', 8080),
  TENANTSCOPE_SHARE: variable('A share.', z.coerce.number().positive().max(1).default(0.5)),
  ...processVariables,
});
const valid = {
  TENANTSCOPE_EXAMPLE_DATABASE_URL: 'postgres://reader:hunter2@127.0.0.1:5432/x?application_name=hunter2',
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-'));
});
afterAll(() => rm(directory, { recursive: true }));

class Exited extends Error {
  readonly status: unknown;
  constructor(status: unknown) {
    super('exited');
    this.status = status;
  }
}

function run(env: Record<string, string>, ...argv: string[]) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') =>
    ({
      write: (text: string) => {
        written[name] += text;
        return true;
      },
    }) as NodeJS.WriteStream & { fd: 1 & 2 };
  try {
    const config = readProcessConfig(
      {
        env,
        argv: ['node', 'main.ts', ...argv],
        stdout: stream('stdout'),
        stderr: stream('stderr'),
        exit: (status) => {
          throw new Exited(status);
        },
      },
      'example',
      shape,
    );
    return { ...written, config, status: null };
  } catch (error) {
    if (!(error instanceof Exited)) throw error;
    return { ...written, config: null, status: error.status };
  }
}

test('a valid configuration is returned without output', () => {
  expect(run(valid)).toMatchObject({ config: { TENANTSCOPE_PORT: 8080 }, stdout: '', stderr: '', status: null });
});

test('a process listens on loopback unless an address is configured', () => {
  expect(run(valid).config).toMatchObject({ TENANTSCOPE_HOST: '127.0.0.1' });
});

test('an unknown variable is refused together with the other problems, and a similar name is given', () => {
  const { status, stderr, stdout } = run({ TENANTSCOPE_PRT: '1', TENANTSCOPE_SHARE: 'hunter2', PATH: '/bin' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('example: The configuration is invalid. ');
  expect(stderr).toContain('TENANTSCOPE_EXAMPLE_DATABASE_URL is not set');
  expect(stderr).toContain('TENANTSCOPE_SHARE: must be more than 0, at most 1');
  expect(stderr).toContain('TENANTSCOPE_PRT is not a variable of example (similar: TENANTSCOPE_PORT)');
  expect(stderr).not.toContain('hunter2');
  expect(run({ ...valid, TENANTSCOPE_PRT: '1' })).toMatchObject({ status: 1 });
  expect(run({ ...valid, TENANTSCOPE_PRT: '' })).toMatchObject({ status: null });
});

test('--print-config shows every variable with its value and origin, and no secret', async () => {
  const file = join(directory, 'secrets');
  await writeFile(file, 'abc:hunter2,https://hunter2\n');
  const env = { ...valid, TENANTSCOPE_SECRETS_FILE: file, TENANTSCOPE_PORT: '9000' };
  const { status, stdout, stderr } = run(env, '--print-config');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const shown = JSON.parse(stdout);
  expect(Object.keys(shown)).toEqual(Object.keys(shape.shape));
  expect(shown).toMatchObject({
    TENANTSCOPE_EXAMPLE_DATABASE_URL: {
      value: 'postgres://reader:[redacted]@127.0.0.1:5432/x',
      origin: 'environment',
    },
    TENANTSCOPE_SECRETS: { value: ['[redacted]', '[redacted]'], origin: `file ${file}` },
    TENANTSCOPE_PORT: { value: 9000, origin: 'environment' },
    TENANTSCOPE_SHARE: { value: 0.5, origin: 'default' },
    TENANTSCOPE_POSTGRES_SSL: { value: null, origin: 'default' },
  });
  expect(stdout).not.toContain('hunter2');
});

test('a variable is described with its default and its allowed values', () => {
  const described = Object.fromEntries(describeVariables(shape).map(({ name, ...rest }) => [name, rest]));
  expect(described).toMatchObject({
    TENANTSCOPE_EXAMPLE_DATABASE_URL: { description: 'A database.', isRequired: true, isSecret: true, preset: null },
    TENANTSCOPE_PORT: { isRequired: false, isSecret: false, preset: '8080', values: '0 to 65535' },
    TENANTSCOPE_SHARE: { preset: '0.5', values: 'more than 0, at most 1' },
    TENANTSCOPE_POSTGRES_SSL: { isRequired: false, preset: null, values: 'one of on, off' },
    TENANTSCOPE_LOG_LEVEL: { preset: 'info', values: 'one of fatal, error, warn, info, debug, trace, silent' },
  });
  expect(() => describeVariables(z.object({ TENANTSCOPE_X: z.string() }))).toThrow('TENANTSCOPE_X has no description');
});
