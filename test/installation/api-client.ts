import { connect } from 'node:net';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
  /** The error code of a failed request. */
  readonly code: string | undefined;
}

/** A client with a key or without one. */
export interface ApiClient {
  get(
    path: string,
    parameters?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiResponse>;
  /** Sends raw bytes; returns everything that the server wrote until it closed the connection or was silent for 500 ms. */
  raw(text: string): Promise<string>;
}

export function createApiClient(baseUrl: string, secret: string | null): ApiClient {
  return {
    async get(path, parameters = {}, headers = {}) {
      const query = new URLSearchParams(parameters).toString();
      const address = `${baseUrl}${path}${query && (path.includes('?') ? '&' : '?')}${query}`;
      const response = await fetch(address, {
        headers: { ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }), ...headers },
      });
      const text = await response.text();
      const body = JSON.parse(text);
      return { status: response.status, headers: response.headers, text, body, code: body.error?.code };
    },
    raw: (text) =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(baseUrl);
        const socket = connect({ host: hostname, port: Number(port) });
        let response = '';
        socket.setTimeout(500, () => socket.destroy());
        socket.on('data', (chunk) => (response += chunk.toString()));
        socket.on('error', reject);
        socket.on('close', () => resolve(response));
        socket.write(text);
      }),
  };
}
