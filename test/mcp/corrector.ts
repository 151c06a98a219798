import type { Agent, ToolResult } from './agent.ts';

type Given = Readonly<Record<string, unknown>>;

export interface Recovered {
  readonly result: ToolResult;
  readonly given: Given;
  /** Calls that were refused before one was answered. */
  readonly refused: number;
}

interface Detail {
  readonly parameter: string;
  readonly reason: string;
  readonly allowed?: readonly string[];
  readonly example?: string;
}

const triesMax = 4;

/**
 * Calls a tool and, where it is refused, does what the refusal says, knowing nothing else: takes a value or name that is allowed and comes
 * closest to what was meant, else the example; starts without a cursor; takes an id from the list.
 */
export async function callUntilTaken(agent: Agent, tool: string, first: Given): Promise<Recovered> {
  let given = first;
  for (let refused = 0; refused < triesMax; refused += 1) {
    const result = await agent.call(tool, given);
    if (!result.isError) return { result, given, refused };
    const { error } = JSON.parse(result.content[0]?.text ?? '') as {
      error: { code: string; message: string; details?: Detail[] };
    };
    if (error.code === 'INVALID_CURSOR' && /start without one/.test(error.message)) given = without(given, 'cursor');
    else if (error.code === 'NOT_FOUND' && /id from the list/.test(error.message))
      given = { id: await firstIdOf(agent, tool) };
    else if (error.details?.length) given = error.details.reduce(corrected, given);
    else throw new Error(`nothing to go by: ${error.code}: ${error.message}`);
  }
  throw new Error(`${tool} was refused ${triesMax} times, the last time with ${JSON.stringify(given)}`);
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

/** The same but for case and joints, else the only one that ends like it. */
function closest(meant: string, allowed: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const same = allowed.find((one) => plain(one) === plain(meant));
  const alike = allowed.filter((one) => plain(one).endsWith(plain(meant)) || plain(meant).endsWith(plain(one)));
  return same ?? alike[0];
}

function without(given: Given, name: string): Given {
  return Object.fromEntries(Object.entries(given).filter(([other]) => other !== name));
}

/** `get_detection` → `list_detections`, as the names of the tools show. */
async function firstIdOf(agent: Agent, tool: string): Promise<string> {
  const { structuredContent } = await agent.call(`${tool.replace(/^get_/, 'list_')}s`, { limit: 1 });
  return structuredContent.data[0].id;
}
