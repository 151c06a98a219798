import { filterValueMax, instantTextMax, limitDefault, limitMax, listValuesMax, type Parameter } from './parameter.ts';

export type Json = Record<string, unknown>;

/** Without maxLength: fuzzers and gateways try longer values, which would not fit into a URL. */
export const cursorSchema = { type: 'string', pattern: '^[A-Za-z0-9_-]*$' };

export const whole = (minimum: number, maximum: number) => ({ type: 'integer', format: 'int32', minimum, maximum });

/**
 * JSON Schema of a parameter: a value that the schema rejects is never accepted, apart from spaces and empty places in a list of a closed
 * vocabulary, which is an array of its values so that generated clients have them as types. Times have no format, since more forms of them
 * are read than `date-time` names.
 */
export function parameterSchema(parameter: Parameter): Json {
  switch (parameter.kind) {
    case 'texts':
      return {
        type: 'array',
        maxItems: listValuesMax,
        items: { type: 'string', maxLength: filterValueMax, pattern: '^[^\\u0000]*$' },
      };
    case 'choices':
      return { type: 'array', maxItems: listValuesMax, items: { type: 'string', enum: parameter.allowed } };
    case 'choice':
      return { type: 'string', enum: [...parameter.allowed, ...Object.keys(parameter.aliases)] };
    case 'text':
      return { type: 'string', maxLength: filterValueMax, pattern: '^[^\\u0000]*$' };
    case 'flag':
      return { type: 'boolean' };
    case 'instant':
      return { type: 'string', maxLength: instantTextMax, pattern: '^[0-9TtZz:.,+\\- ]*$' };
    case 'sort':
      return { type: 'string', enum: parameter.allowed, default: parameter.allowed[0] };
    case 'limit':
      return { ...whole(1, limitMax), default: limitDefault };
    case 'cursor':
      return cursorSchema;
  }
}

/** The example in the type of its schema. */
export function exampleValue(parameter: Parameter): unknown {
  if (parameter.kind === 'limit') return Number(parameter.example);
  if (parameter.kind === 'texts' && parameter.hasCommas) return [parameter.example];
  if (parameter.kind === 'texts' || parameter.kind === 'choices') return parameter.example.split(',');
  return parameter.kind === 'flag' ? parameter.example === 'true' : parameter.example;
}
