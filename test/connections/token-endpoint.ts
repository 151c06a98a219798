import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An OAuth token endpoint for client credentials. A token's subject is the client's id. */
export interface TokenEndpoint extends AsyncDisposable {
  readonly url: string;
  /** Number of tokens. */
  issuedTo(client: string): number;
}

export const audience = 'kafka';

/** Writes the keys (JWKS) that verify its tokens. Clients and their secrets are given. */
export async function startTokenEndpoint(
  jwksFile: string,
  clients: Readonly<Record<string, string>>,
  lifetimeSeconds: number,
): Promise<TokenEndpoint> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const header = { alg: 'RS256', typ: 'JWT', kid: 'test' };
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: header.kid, use: 'sig', alg: header.alg };
  await writeFile(jwksFile, JSON.stringify({ keys: [jwk] }));
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const issued: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const [client = '', secret] = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .split(':');
    response.setHeader('content-type', 'application/json');
    if (clients[client] === undefined || clients[client] !== secret)
      return response.writeHead(401).end('{"error":"invalid_client"}');
    issued.push(client);
    const now = Math.floor(Date.now() / 1_000);
    const claims = { sub: client, aud: audience, iat: now, exp: now + lifetimeSeconds, jti: String(issued.length) };
    const signed = `${encode(header)}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
    response.end(JSON.stringify({ access_token: `${signed}.${signature}`, expires_in: lifetimeSeconds }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    issuedTo: (client) => issued.filter((each) => each === client).length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
