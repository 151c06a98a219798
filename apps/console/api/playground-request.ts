/** As much of an operation as a request is made of. */
interface Operation {
  readonly name: string;
  /** Null: the path has no `{id}` in it. */
  readonly exampleId: string | null;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly kind: string }[];
}

interface RunInput {
  readonly mode: 'rest' | 'mcp';
  readonly id: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What goes out; `path` as its maker would write it, from the base address on. */
export interface PlaygroundRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string | null;
}

/** The request of a run: the screen shows it before it is sent, and the server sends it. Nothing is imported here, since both do. */
export function buildRequest(operation: Operation, { mode, id, parameters }: RunInput): PlaygroundRequest {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  if (mode === 'mcp') {
    const kinds = new Map(operation.parameters.map(({ name, kind }) => [name, kind]));
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: operation.name,
        arguments: {
          ...(operation.exampleId === null ? {} : { id }),
          ...Object.fromEntries(given.map(([name, value]) => [name, parseArgument(kinds.get(name), value)])),
        },
      },
    };
    return { method: 'POST', path: '/mcp', body: JSON.stringify(call) };
  }
  const query = new URLSearchParams(given).toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  const path = operation.path.replace('{id}', () => encodeURIComponent(id.toWellFormed()));
  return { method: 'GET', path: query === '' ? path : `${path}?${query}`, body: null };
}

/** As the tool's schema wants it; what is no such value goes as it was written, so that the server says what is wrong with it. */
function parseArgument(kind: string | undefined, value: string): string | number | boolean {
  if (kind === 'limit' && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  if (kind === 'flag' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
