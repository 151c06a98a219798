import { describeVariables, kafkaVariables } from '@tenantscope/runtime';
import { z } from 'zod';
import {
  type ChartProcess,
  chartProcesses,
  chartProcessNames,
  fileVariableOf,
  isPlain,
  listSettable,
} from './chart-processes.ts';
import { type JsonSchema, object, text } from './json-schema.ts';

type Properties = Readonly<Record<string, JsonSchema>>;

/** `env` and `files` of a process, or of the release: then each member is passed to the processes that declare it. */
export interface VariableSchemas {
  readonly env: JsonSchema;
  readonly files: JsonSchema;
}

/** Of one process. */
export function describeProcessVariables(name: ChartProcess): VariableSchemas {
  return describeVariablesOf([name]);
}

/** Of the release. */
export function describeSharedVariables(): VariableSchemas {
  return describeVariablesOf(chartProcessNames);
}

function describeVariablesOf(names: readonly ChartProcess[]): VariableSchemas {
  const hasClusters = names.some((name) => 'TENANTSCOPE_KAFKA_CLUSTERS' in chartProcesses[name].shape);
  const merge = (describe: (name: ChartProcess) => Properties) => Object.assign({}, ...names.map(describe));
  return {
    env: object(merge(describePlain), [], hasClusters ? clusterProperties.env : {}),
    files: object(merge(describeFileVariables), [], hasClusters ? clusterProperties.files : {}),
  };
}

function describePlain(name: ChartProcess): Properties {
  const { shape }: { shape: z.ZodRawShape } = chartProcesses[name];
  return Object.fromEntries(
    listSettable(name)
      .filter(isPlain)
      .map((variable) => [variable.name, describeValue(shape[variable.name] as z.ZodType, variable)]),
  );
}

function describeFileVariables(name: ChartProcess): Properties {
  return Object.fromEntries(
    listSettable(name).flatMap((variable) => {
      const file = fileVariableOf(variable);
      return file === null ? [] : [[file, { description: variable.description, ...secretKeyReference }] as const];
    }),
  );
}

/** A key of an existing Secret, or null: another values file may name one that this installation has not. */
export const secretKey: JsonSchema = {
  ...object({ secret: text('Its name.', { minLength: 1 }), key: text('The key.', { minLength: 1 }) }, ['secret']),
  type: ['object', 'null'],
};
const secretKeyReference: JsonSchema = { $ref: '#/definitions/secretKey' };

/** Numbers by their range, on and off also as YAML reads them, everything else as text. Null is a variable that is not set. */
function describeValue(
  schema: z.ZodType,
  { description, preset }: { readonly description: string; readonly preset: string | null },
): JsonSchema {
  const written = { description: preset === null ? description : `${description} Default: ${preset}.` };
  const output = convert(schema, 'output');
  if (Array.isArray(output.enum)) return { ...written, enum: [...describeChoices(output.enum), null] };
  if (output.type === 'integer' || output.type === 'number') {
    const { type, minimum, exclusiveMinimum, maximum } = output;
    const isBounded = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
    const range = { minimum, exclusiveMinimum, ...(isBounded ? { maximum } : {}) };
    return withoutUndefined({ ...written, type: [type, 'null'], ...range });
  }
  const { format, pattern, minLength } = convert(schema, 'input');
  return withoutUndefined({ ...written, type: ['string', 'null'], format, pattern, minLength });
}

/** YAML 1.1 reads on and off as booleans. */
const describeChoices = (choices: readonly unknown[]): readonly unknown[] =>
  choices.includes('on') ? [...choices, true, false] : choices;

const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  z.toJSONSchema(schema, { io, target: 'draft-7', unrepresentable: 'any' }) as JsonSchema;

const withoutUndefined = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));

/** The variables of further clusters, whose names an operator chooses. */
const clusterProperties = describeClusterProperties();

function describeClusterProperties(): { readonly env: Properties; readonly files: Properties } {
  const env: Record<string, JsonSchema> = {};
  const files: Record<string, JsonSchema> = {};
  const shape: z.ZodRawShape = kafkaVariables;
  for (const variable of describeVariables(z.object(kafkaVariables))) {
    if (!variable.name.startsWith('TENANTSCOPE_KAFKA_')) continue;
    const file = fileVariableOf(variable);
    const { [variable.name]: schema } = shape;
    if (file === null) env[nameClusterPattern(variable.name)] = describeValue(schema as z.ZodType, variable);
    else files[nameClusterPattern(file)] = { description: variable.description, ...secretKeyReference };
  }
  return { env, files };
}

function nameClusterPattern(name: string): string {
  return `^${name.replace('TENANTSCOPE_KAFKA_', 'TENANTSCOPE_KAFKA_CLUSTER_[A-Z0-9_]+_')}$`;
}
