import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ScriptedRequest {
  readonly url: URL;
  readonly authorization: string;
  readonly body: string;
}

export interface ScriptedReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A provider whose responses a test writes itself; requests for tokens of Microsoft receive one. */
export async function startScriptedServer(
  respond: (request: ScriptedRequest) => ScriptedReply | Promise<ScriptedReply>,
): Promise<AsyncDisposable & { readonly url: string; readonly requests: readonly ScriptedRequest[] }> {
  const requests: ScriptedRequest[] = [];
  let origin = '';
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', origin);
    const scripted = { url, authorization: request.headers.authorization ?? '', body: await text(request) };
    const isToken = url.pathname.endsWith('/oauth2/v2.0/token');
    if (!isToken) requests.push(scripted);
    const token: ScriptedReply = { body: { access_token: 'token-of-the-test', expires_in: 3_599 } };
    const { status = 200, headers = {}, body = [] } = isToken ? token : await respond(scripted);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
