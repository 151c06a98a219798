import {
  describeToolArgument,
  findExampleId,
  type Operation,
  operations,
  type Parameter,
  requiredScopes,
  type Scope,
  shortenInstant,
} from '@tenantscope/contract';
import { cachedToolListsMax } from '../limits.ts';

/** An operation as an MCP tool. Its schema is a closed object of scalar types: unions and references break some clients. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, Argument>>;
    readonly required?: readonly string[];
    readonly additionalProperties: false;
  };
  readonly annotations: { readonly readOnlyHint: true; readonly openWorldHint: boolean };
}

export interface Argument {
  readonly type: 'string' | 'integer' | 'boolean';
  /** Missing on an argument that the tool named in the description of this one describes. */
  readonly description?: string;
}

export function toTool(operation: Operation): Tool {
  const exampleId = findExampleId(operation);
  return {
    name: operation.name,
    title: operation.summary,
    description: `${operation.toolDescription}\nExamples:${listToolExamples(operation).map(formatExample).join('')}`,
    inputSchema: {
      type: 'object',
      properties: {
        ...(exampleId === undefined ? {} : { id: idArgument }),
        ...toArguments(operation),
      },
      ...(exampleId === undefined ? {} : { required: ['id'] }),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: operation.containsUntrustedText },
  };
}

export interface ToolExample {
  readonly label: string;
  readonly arguments: Readonly<Record<string, string | number | boolean>>;
}

/** Complete example calls. */
export function listToolExamples(operation: Operation): readonly ToolExample[] {
  const exampleId = findExampleId(operation);
  const byId: Record<string, string> = exampleId === undefined ? {} : { id: exampleId };
  if (operation.examples.length === 0) return exampleId === undefined ? [] : [{ label: 'By id', arguments: byId }];
  return operation.examples
    .filter(({ pollingOnly }) => !pollingOnly)
    .map(({ description, input }) => ({
      label: description,
      arguments: {
        ...byId,
        ...Object.fromEntries(
          Object.entries(input).map(([name, text = '']) => [name, exampleValue(operation.parameters[name], text)]),
        ),
      },
    }));
}

function formatExample(example: ToolExample): string {
  return `\n- ${example.label}: ${JSON.stringify(example.arguments)}`;
}

function exampleValue(parameter: Parameter | undefined, text: string): string | number | boolean {
  if (parameter?.kind === 'limit') return Number(text);
  if (parameter?.kind === 'instant') return shortenInstant(text);
  return parameter?.kind === 'flag' ? text === 'true' : text;
}

function toArguments({ parameters, describedBy }: Operation): Record<string, Argument> {
  return Object.fromEntries(
    Object.entries<Parameter>(parameters).map(([name, parameter]) => {
      // Described by the tool that the description of this one names. An error lists the values of a closed vocabulary.
      const isDescribed = describedBy?.parameters[name] === parameter;
      return [
        name,
        { ...argumentType(parameter), ...(isDescribed ? {} : { description: describeToolArgument(parameter) }) },
      ];
    }),
  );
}

/** Lists are strings separated by commas, as in a URL; arrays are accepted too. */
function argumentType(parameter: Parameter): Pick<Argument, 'type'> {
  switch (parameter.kind) {
    case 'flag':
      return { type: 'boolean' };
    case 'limit':
      return { type: 'integer' };
    default:
      return { type: 'string' };
  }
}

/** An example is in the example calls. */
const idArgument: Argument = {
  type: 'string',
  description: 'Allowed: ids from a list or another record; see the example.',
};

/** Whether a key with these scopes can call the operation. */
export const isCallable = (operation: Operation, scopes: ReadonlySet<Scope>): boolean =>
  requiredScopes(operation).every((scope) => scopes.has(scope));

const tools = operations.map((operation) => ({ operation, json: JSON.stringify(toTool(operation)) }));
const lists = new Map<string, string>();

/** The tools that a key with these scopes can call, as a JSON array in the order of the documentation. Serialized once for each set of scopes. */
export function serializeToolList(scopes: ReadonlySet<Scope>): string {
  const key = [...scopes].join();
  let list = lists.get(key);
  if (list === undefined) {
    const shown = tools.filter(({ operation }) => isCallable(operation, scopes));
    list = `[${shown.map(({ json }) => json).join()}]`;
    if (lists.size < cachedToolListsMax) lists.set(key, list);
  }
  return list;
}
