import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { type Environment, readConfig } from './read-config.ts';
import { findSimilar } from './similar-names.ts';
import { collectVariables, fileVariable, isSecret, listVariables, variable } from './variables.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Declared by every process. */
export const processVariables = {
  TENANTSCOPE_HOST: variable('Address that the process listens on.', z.string().default('127.0.0.1')),
  TENANTSCOPE_LOG_LEVEL: variable('Least severe level that is logged.', z.enum(logLevels).default('info')),
};

/** Declared by processes behind a load balancer. */
export const drainVariable = {
  TENANTSCOPE_DRAIN_MS: variable(
    'Milliseconds for which requests are served after SIGTERM, until load balancers notice. The process ends at most 20 s later.',
    z.coerce.number().int().min(0).max(60_000).default(2_000),
  ),
};

/**
 * Reads the configuration of a process, as `readConfig` does, and refuses a TENANTSCOPE_ variable that it does not declare: the process
 * exits with 1 and the problems on standard error. With the argument --print-config it writes the values with their origins, secrets
 * redacted, and exits with 0.
 */
export function readProcessConfig<Shape extends z.ZodObject>(
  { env, argv, stdout, stderr, exit }: Pick<NodeJS.Process, 'env' | 'argv' | 'stdout' | 'stderr' | 'exit'>,
  name: string,
  shape: Shape,
): z.infer<Shape> {
  const unknown = listUnknown(name, shape, env);
  try {
    const config = readConfig(shape, env);
    if (unknown.length > 0) throw new ConfigError([]);
    if (!argv.includes('--print-config')) return config;
    stdout.write(`${JSON.stringify(describeConfig(shape, config, env), null, 2)}\n`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(`${name}: ${new ConfigError([...error.problems, ...unknown]).message}\n`);
    return exit(1);
  }
  return exit(0);
}

function listUnknown(process: string, shape: z.ZodObject, env: Environment): string[] {
  const declared = listVariables(shape, env);
  return Object.keys(env)
    .filter((name) => name.startsWith('TENANTSCOPE_') && env[name] !== '' && !declared.includes(name))
    .map((name) => `${name} is not a variable of ${process} (similar: ${findSimilar(name, declared, 1).join()})`);
}

interface ConfigValue {
  readonly value: unknown;
  readonly origin: 'environment' | 'default' | `file ${string}`;
}

function describeConfig(
  shape: z.ZodObject,
  config: Readonly<Record<string, unknown>>,
  env: Environment,
): Record<string, ConfigValue> {
  return Object.fromEntries(
    collectVariables(shape, env).map(([name, schema]) => {
      const file = isSecret(schema) ? env[fileVariable(name)] : undefined;
      // Those of a further Kafka cluster are parsed with its connection.
      const value = config[name] ?? ((file ?? env[name]) || null);
      return [
        name,
        {
          value: isSecret(schema) && value !== null ? redactValue(value) : value,
          origin: file ? `file ${file}` : env[name] ? 'environment' : 'default',
        },
      ];
    }),
  );
}

/** Of the URL of a store only the password and parameters are hidden. */
function redactValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactValue);
  const text = String(value);
  if (!/^(postgres(ql)?|rediss?):\/\//.test(text) || !URL.canParse(text)) return '[redacted]';
  const { protocol, username, host, pathname } = new URL(text);
  return `${protocol}//${username === '' ? '' : `${username}:[redacted]@`}${host}${pathname}`;
}
