import { chartProcesses, describeValues } from '@tenantscope/docs';
import { describeVariables } from '@tenantscope/runtime';
import { describe, expect, test } from 'vitest';

interface Schema {
  readonly type?: string;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: false | Schema;
}

const schema = describeValues() as unknown as Schema;
const names = Object.keys(chartProcesses) as (keyof typeof chartProcesses)[];
const settings = (section: Schema | undefined, kind: 'env' | 'files') => section?.properties[kind] as Schema;
const fixed = [
  'TENANTSCOPE_PORT',
  'TENANTSCOPE_CONSOLE_PORT',
  'TENANTSCOPE_HEALTH_PORT',
  'TENANTSCOPE_CELLS',
  'TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION',
];

describe.each(names)('values of %s', (name) => {
  const section = schema.properties[name];
  const env = Object.keys(settings(section, 'env').properties);
  const files = Object.keys(settings(section, 'files').properties);

  test('every declared variable is a value, a file or fixed by the chart', () => {
    for (const { name: variable, isSecret } of describeVariables(chartProcesses[name])) {
      const isFile = isSecret || variable.endsWith('_FILE');
      const file = isSecret ? `${variable}_FILE` : variable;
      expect([env.includes(variable), files.includes(file)], variable).toEqual(
        fixed.includes(variable) ? [false, false] : [!isFile, isFile],
      );
    }
  });

  test('the release has every value and file that the process has', () => {
    for (const [kind, members] of [
      ['env', env],
      ['files', files],
    ] as const)
      expect(Object.keys(settings(schema, kind).properties)).toEqual(expect.arrayContaining(members));
  });
});

test('no value is a secret', () => {
  const secrets = names.flatMap((name) =>
    describeVariables(chartProcesses[name]).flatMap((variable) => (variable.isSecret ? [variable.name] : [])),
  );
  expect(secrets.length).toBeGreaterThan(20);
  const clusterSecret = 'TENANTSCOPE_KAFKA_CLUSTER_SECOND_SASL_PASSWORD';
  for (const section of [schema, ...names.map((name) => schema.properties[name])]) {
    const { properties, patternProperties = {} } = settings(section, 'env');
    expect(Object.keys(properties).filter((variable) => secrets.includes(variable))).toEqual([]);
    expect(Object.keys(patternProperties).filter((pattern) => new RegExp(pattern).test(clusterSecret))).toEqual([]);
  }
});

test('variables of further Kafka clusters are values, and their secrets are files', () => {
  const matches = (kind: 'env' | 'files', variable: string) =>
    Object.keys(settings(schema, kind).patternProperties ?? {}).some((pattern) => new RegExp(pattern).test(variable));
  expect(matches('env', 'TENANTSCOPE_KAFKA_CLUSTER_SECOND_SITE_BROKERS')).toBe(true);
  expect(matches('files', 'TENANTSCOPE_KAFKA_CLUSTER_SECOND_SASL_PASSWORD_FILE')).toBe(true);
  expect(matches('files', 'TENANTSCOPE_KAFKA_CLUSTER_SECOND_SSL_CA_FILE')).toBe(true);
  expect(matches('env', 'TENANTSCOPE_KAFKA_CLUSTER_SECOND_SSL_CA_FILE')).toBe(false);
});

test('values have the ranges and choices of the declarations', () => {
  const env = (name: keyof typeof chartProcesses, variable: string) =>
    settings(schema.properties[name], 'env').properties[variable];
  expect(env('api', 'TENANTSCOPE_READ_CONCURRENCY')).toMatchObject({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 1_000,
  });
  expect(env('api', 'TENANTSCOPE_CONTENDED_SHARE')).toMatchObject({
    type: ['number', 'null'],
    minimum: 0.01,
    maximum: 1,
  });
  expect(env('ingest', 'TENANTSCOPE_INGEST_MAX_BATCH_BYTES')).not.toHaveProperty('maximum');
  expect(env('jobs', 'TENANTSCOPE_LOG_LEVEL')).toMatchObject({ enum: expect.arrayContaining(['info', 'debug']) });
  expect(env('ingest', 'TENANTSCOPE_KAFKA_SSL')).toMatchObject({ enum: ['on', 'off', true, false, null] });
  expect(env('ingest', 'TENANTSCOPE_KAFKA_BROKERS')).toMatchObject({
    type: ['string', 'null'],
    pattern: expect.any(String),
  });
});

/** Objects whose members an operator chooses have a schema for them. */
test('every object refuses members that are not declared', () => {
  const checkObject = (at: Schema, path: string): void => {
    if (at.properties !== undefined) expect(at.additionalProperties, path).toBe(false);
    for (const [name, member] of Object.entries(at.properties ?? {})) checkObject(member, `${path}/${name}`);
  };
  checkObject(schema, '');
});
