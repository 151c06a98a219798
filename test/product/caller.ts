import { connect } from 'node:net';

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
  readonly body: any;
  /** The error code, where it failed. */
  readonly code: string | undefined;
}

/** Somebody with a key, or without one. */
export interface Caller {
  get(
    path: string,
    parameters?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Called>;
  /** Sends bytes as they are; everything the server wrote until it closed or fell silent. */
  raw(text: string): Promise<string>;
}

export function callerOf(baseUrl: string, secret: string | null): Caller {
  return {
    async get(path, parameters = {}, headers = {}) {
      const query = new URLSearchParams(parameters).toString();
      const address = `${baseUrl}${path}${query && (path.includes('?') ? '&' : '?')}${query}`;
      const answer = await fetch(address, {
        headers: { ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }), ...headers },
      });
      const text = await answer.text();
      const body = JSON.parse(text);
      return { status: answer.status, headers: answer.headers, text, body, code: body.error?.code };
    },
    raw: (text) =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(baseUrl);
        const socket = connect({ host: hostname, port: Number(port) });
        let answer = '';
        socket.setTimeout(500, () => socket.destroy());
        socket.on('data', (chunk) => (answer += chunk.toString()));
        socket.on('error', reject);
        socket.on('close', () => resolve(answer));
        socket.write(text);
      }),
  };
}
