import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readErrorCode, readErrorText } from '../src/http/error-text.ts';
import { parseJsonPage } from '../src/http/json-page.ts';
import { createRequestSender, type ProviderRequest, type ProviderResponse } from '../src/http/provider-request.ts';

/** The response of a server to one request. */
async function request(
  respond: (response: ServerResponse, request: IncomingMessage) => unknown,
  { timeoutMs = 20_000, ...more }: Partial<ProviderRequest> & { readonly timeoutMs?: number } = {},
): Promise<ProviderResponse> {
  await using server = createServer((incoming, response) => void respond(response, incoming)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { send } = createRequestSender({ timeoutMs, maxBytes: 100_000 }, new AbortController().signal);
  try {
    return await send({ url, headers: {}, ...more });
  } finally {
    server.closeAllConnections();
  }
}

test('a byte order mark before a list or an error is no part of it', async () => {
  const list = await request((response) => response.end('\ufeff[{"Id":"\ufeffa"}]'));
  expect(parseJsonPage(list.body, null, 'host').records.map(String)).toEqual(['{"Id":"\ufeffa"}']);
  const error = await request((response) => response.writeHead(400).end('\ufeff{"error":{"code":"AF20024"}}'));
  expect(readErrorCode(error.body)).toBe('AF20024');
});

const credential = 'Hq8Q~secret.of the+test/';

test.each([200, 206, 302, 400, 401, 500])(
  'an error with status %i that repeats the body or the URL of its request has no credential, if it is read',
  async (status) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_secret: credential }).toString();
    const { body: received } = await request(
      async (response, incoming) => {
        const error_description = `${await text(incoming)} ${encodeURIComponent(credential)} ${credential}`;
        response.writeHead(status).end(JSON.stringify({ error_description }));
      },
      { method: 'POST', body },
    );
    const readable = status === 200 ? '' : readErrorText(received);
    const redacted = 'grant_type=client_credentials&client_secret=[redacted] [redacted] [redacted]';
    expect(readable).toBe(status === 200 ? '' : redacted);
  },
);

const list = JSON.stringify(Array.from({ length: 500 }, (_, index) => ({ id: index })));

test.each<[string, (response: ServerResponse) => unknown]>([
  [
    'is compressed and ends early',
    (response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(list).subarray(0, 400)),
  ],
  [
    'is shorter than its Content-Length',
    (response) =>
      response.writeHead(200, { 'content-length': 9_000 }).write(list) && setTimeout(() => response.destroy(), 50),
  ],
  ['is an HTML document', (response) => response.setHeader('content-type', 'text/html').end('<html>Sign in</html>')],
  ['is empty', (response) => response.writeHead(204).end()],
  [
    'is only a compressed bomb',
    (response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(50_000_000))),
  ],
])('a body that %s is a failure, and no empty list', async (_, respond) => {
  const received = request(respond).then(({ body }) => parseJsonPage(body, null, 'host'));
  await expect(received).rejects.toMatchObject({ name: 'ProviderFailure' });
});

test('a body that is sent byte by byte ends with the time of a request', async () => {
  const received = request(
    (response) => {
      const timer = setInterval(() => response.write('['), 50);
      response.on('close', () => clearInterval(timer));
    },
    { timeoutMs: 500 },
  );
  await expect(received).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('within 0.5 s'),
  });
});
