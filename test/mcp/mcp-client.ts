/** The response to a POST to the tool endpoint. */
export interface McpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly structuredContent?: any;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** A client that sends protocol messages directly. */
export interface McpClient {
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<McpResponse>;
  /** Sends a message with an id; returns its response. */
  request(method: string, params?: unknown, headers?: Readonly<Record<string, string>>): Promise<McpResponse>;
  /** The same in the stateless revision. */
  requestStateless(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<McpResponse>;
  // biome-ignore lint/suspicious/noExplicitAny: tools as clients see them
  tools(): Promise<any[]>;
  call(name: string, given?: unknown, headers?: Readonly<Record<string, string>>): Promise<ToolResult>;
}

const modern = '2026-07-28';

export function createMcpClient(baseUrl: string, secret: string | null): McpClient {
  const post: McpClient['post'] = async (body, headers = {}) => {
    const response = await fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
        ...headers,
      },
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  const request: McpClient['request'] = (method, params = {}, headers = {}) =>
    post({ jsonrpc: '2.0', id: 7, method, params }, headers);
  return {
    post,
    request: request,
    requestStateless(method, params = {}, headers = {}) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': modern,
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const name = typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {};
      const protocolHeaders = { 'MCP-Protocol-Version': modern, 'Mcp-Method': method, ...name };
      return request(method, { ...params, _meta }, { ...protocolHeaders, ...headers });
    },
    tools: async () => (await request('tools/list')).body.result.tools,
    async call(name, given, headers) {
      const response = await request('tools/call', { name, arguments: given }, headers);
      if (response.status !== 200 || !response.body.result)
        throw new Error(`${name}: ${response.status} ${response.text}`);
      return response.body.result;
    },
  };
}
