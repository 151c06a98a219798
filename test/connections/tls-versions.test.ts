import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TlsOptions } from 'node:tls';
import { createTlsOptions } from '@tenantscope/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Certificates, createCertificates } from './certificates.ts';

let certificates: Certificates;
beforeAll(async () => {
  certificates = await createCertificates();
});
afterAll(() => certificates?.[Symbol.asyncDispose]());

/** Connects as the clients of PostgreSQL, Kafka and Redis do to a server that offers no more than this; returns what was agreed on. */
async function negotiate(offered: TlsOptions): Promise<string> {
  const { certFile, keyFile } = certificates.server;
  const server = createServer({ cert: await readFile(certFile), key: await readFile(keyFile), ...offered });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port,
        ...createTlsOptions({ caFile: certificates.caFile }, 'localhost'),
      });
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
        socket.destroy();
      });
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** OpenSSL offers TLS 1.1 and weak suites at this level only. */
const weak = (ciphers: string): TlsOptions => ({ ciphers: `${ciphers}:@SECLEVEL=0`, minVersion: 'TLSv1' });

test.each(['TLSv1', 'TLSv1.1'] as const)('a store that offers %s at most is refused', async (maxVersion) => {
  await expect(negotiate({ ...weak('ALL'), maxVersion })).rejects.toThrow(/alert|protocol version|unsupported/i);
});

test.each(['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'ECDHE-ECDSA-AES128-SHA256'])(
  'a store that offers only the suite %s, which does not authenticate what it encrypts, is refused',
  async (ciphers) => {
    await expect(negotiate({ ...weak(ciphers), maxVersion: 'TLSv1.2' })).rejects.toThrow(/alert|handshake/i);
  },
);

test('TLS 1.3 is preferred, and TLS 1.2 with an authenticated cipher and forward secrecy is accepted', async () => {
  expect(await negotiate({})).toMatch(/^TLSv1\.3 TLS_/);
  expect(await negotiate({ maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1\.2 ECDHE-ECDSA-\S*(?:GCM|POLY1305)/);
});
