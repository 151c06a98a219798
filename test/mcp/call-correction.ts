import type { McpClient, ToolResult } from './mcp-client.ts';

type Given = Readonly<Record<string, unknown>>;

export interface Recovered {
  readonly result: ToolResult;
  readonly given: Given;
  /** Calls that were rejected before one was accepted. */
  readonly refused: number;
}

interface Detail {
  readonly parameter: string;
  readonly reason: string;
  readonly allowed?: readonly string[];
  readonly example?: string;
}

const attemptsMax = 4;

/**
 * Calls a tool and corrects rejected calls by the error message alone: takes the closest allowed value or name,
 * otherwise the example; starts without a cursor; takes an id from the list.
 */
export async function callUntilAccepted(agent: McpClient, tool: string, first: Given): Promise<Recovered> {
  let given = first;
  for (let refused = 0; refused < attemptsMax; refused += 1) {
    const result = await agent.call(tool, given);
    if (!result.isError) return { result, given, refused };
    const { error } = JSON.parse(result.content[0]?.text ?? '') as {
      error: { code: string; message: string; details?: Detail[] };
    };
    if (error.code === 'INVALID_CURSOR' && /omit the cursor/.test(error.message)) given = without(given, 'cursor');
    else if (error.code === 'NOT_FOUND' && /an id that the list/.test(error.message))
      given = { id: await firstIdOf(agent, tool) };
    else if (error.details?.length) given = error.details.reduce(corrected, given);
    else throw new Error(`no correction for ${error.code}: ${error.message}`);
  }
  throw new Error(`${tool} was rejected ${attemptsMax} times, last with ${JSON.stringify(given)}`);
}

function corrected(given: Given, { parameter, reason, allowed = [], example }: Detail): Given {
  const later = /is later than (\w+)/.exec(reason)?.[1];
  if (later) return { ...given, [parameter]: given[later], [later]: given[parameter] };
  if (/is not (a parameter|an argument)/.test(reason)) {
    const name = closest(parameter, allowed);
    const rest = without(given, parameter);
    return name ? { ...rest, [name]: given[parameter] } : rest;
  }
  const values = allowed.filter((one) => !one.includes(' '));
  return { ...given, [parameter]: closest(String(given[parameter]), values) ?? example };
}

/** Equal except for case and separators, otherwise the only one with the same ending. */
function closest(meant: string, allowed: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const same = allowed.find((one) => plain(one) === plain(meant));
  const alike = allowed.filter((one) => plain(one).endsWith(plain(meant)) || plain(meant).endsWith(plain(one)));
  return same ?? alike[0];
}

function without(given: Given, name: string): Given {
  return Object.fromEntries(Object.entries(given).filter(([other]) => other !== name));
}

/** `get_detection` → `list_detections`, as in the tool names. */
async function firstIdOf(agent: McpClient, tool: string): Promise<string> {
  const { structuredContent } = await agent.call(`${tool.replace(/^get_/, 'list_')}s`, { limit: 1 });
  return structuredContent.data[0].id;
}
