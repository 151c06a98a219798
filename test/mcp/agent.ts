/** What a POST to the tool endpoint was answered with. */
export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
  readonly body: any;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
  readonly structuredContent?: any;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** Somebody who speaks the protocol by hand. */
export interface Agent {
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Posted>;
  /** A message with an id; its answer. */
  ask(method: string, params?: unknown, headers?: Readonly<Record<string, string>>): Promise<Posted>;
  /** The same in the revision that says everything per request. */
  askModern(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Posted>;
  // biome-ignore lint/suspicious/noExplicitAny: tools as clients see them
  tools(): Promise<any[]>;
  call(name: string, given?: unknown, headers?: Readonly<Record<string, string>>): Promise<ToolResult>;
}

const modern = '2026-07-28';

export function agentOf(baseUrl: string, secret: string | null): Agent {
  const post: Agent['post'] = async (body, headers = {}) => {
    const answer = await fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
        ...headers,
      },
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: text === '' ? undefined : JSON.parse(text) };
  };
  const ask: Agent['ask'] = (method, params = {}, headers = {}) =>
    post({ jsonrpc: '2.0', id: 7, method, params }, headers);
  return {
    post,
    ask,
    askModern(method, params = {}, headers = {}) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': modern,
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const name = typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {};
      const said = { 'MCP-Protocol-Version': modern, 'Mcp-Method': method, ...name };
      return ask(method, { ...params, _meta }, { ...said, ...headers });
    },
    tools: async () => (await ask('tools/list')).body.result.tools,
    async call(name, given, headers) {
      const answer = await ask('tools/call', { name, arguments: given }, headers);
      if (answer.status !== 200 || !answer.body.result) throw new Error(`${name}: ${answer.status} ${answer.text}`);
      return answer.body.result;
    },
  };
}
