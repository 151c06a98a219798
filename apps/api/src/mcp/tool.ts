import { describeBriefly, type Operation, operations, type Parameter, type Scope } from '@tenantscope/contract';
import { toolListsMax } from '../limits.ts';

/** An operation as agents see it. Its schema is a closed object of plain types: unions and references break some clients. */
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
  readonly description: string;
}

export function toolOf(operation: Operation): Tool {
  const byId = operation.kind === 'get';
  return {
    name: operation.name,
    title: operation.summary,
    description: `${operation.guidance}\nExamples:${examplesOf(operation).map(printExample).join('')}`,
    inputSchema: {
      type: 'object',
      properties: {
        ...(byId ? { id: idArgument(operation.exampleId) } : {}),
        ...argumentsOf(operation.parameters),
      },
      ...(byId ? { required: ['id'] } : {}),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: operation.textOfOthers },
  };
}

export interface ToolExample {
  readonly words: string;
  readonly arguments: Readonly<Record<string, string | number | boolean>>;
}

/** Calls that work as they stand. */
export function examplesOf(operation: Operation): readonly ToolExample[] {
  const byId: Record<string, string> = operation.kind === 'get' ? { id: operation.exampleId } : {};
  if (operation.examples.length === 0) return operation.kind === 'get' ? [{ words: 'By id', arguments: byId }] : [];
  return operation.examples
    .filter(({ forPollers }) => !forPollers)
    .map(({ words, input }) => ({
      words,
      arguments: {
        ...byId,
        ...Object.fromEntries(
          Object.entries(input).map(([name, text = '']) => [name, exampleValue(operation.parameters[name], text)]),
        ),
      },
    }));
}

function printExample(example: ToolExample): string {
  return `\n- ${example.words}: ${JSON.stringify(example.arguments)}`;
}

function exampleValue(parameter: Parameter | undefined, text: string): string | number | boolean {
  if (parameter?.kind === 'limit') return Number(text);
  return parameter?.kind === 'flag' ? text === 'true' : text;
}

function argumentsOf(parameters: Readonly<Record<string, Parameter>>): Record<string, Argument> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      { ...typeOf(parameter), description: describeBriefly(parameter) },
    ]),
  );
}

/** Lists are texts with commas, as in an address; arrays are read all the same. */
function typeOf(parameter: Parameter): Omit<Argument, 'description'> {
  switch (parameter.kind) {
    case 'flag':
      return { type: 'boolean' };
    case 'limit':
      return { type: 'integer' };
    default:
      return { type: 'string' };
  }
}

function idArgument(example: string): Argument {
  return { type: 'string', description: `Id, as a list or another record names it. Example: ${example}` };
}

const tools = new Map<string, { readonly scope: Scope | null; readonly json: string }>(
  operations.map((operation) => [operation.name, { scope: operation.scope, json: JSON.stringify(toolOf(operation)) }]),
);
const lists = new Map<string, string>();

/** The tools a key with these scopes may call, as a JSON array in the order of the documentation. Printed once for each set of scopes. */
export function printTools(scopes: ReadonlySet<Scope>): string {
  const key = [...scopes].join();
  let list = lists.get(key);
  if (list === undefined) {
    const shown = [...tools.values()].filter(({ scope }) => scope === null || scopes.has(scope));
    list = `[${shown.map(({ json }) => json).join()}]`;
    if (lists.size < toolListsMax) lists.set(key, list);
  }
  return list;
}
