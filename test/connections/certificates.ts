import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Certificates in PEM files, for one test file. The server's is valid for the name localhost and not for 127.0.0.1. */
export interface Certificates extends AsyncDisposable {
  readonly directory: string;
  readonly caFile: string;
  /** An authority that has signed nothing. */
  readonly otherCaFile: string;
  readonly server: Certificate;
  readonly expired: Certificate;
  /** Key and certificate of the server in one file. */
  readonly keyStoreFile: string;
  client(commonName: string): Promise<Certificate>;
}

const openssl = (...args: string[]) => promisify(execFile)('openssl', args);
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export async function createCertificates(): Promise<Certificates> {
  const directory = await mkdtemp('/var/tmp/tenantscope-certificates-');
  await chmod(directory, 0o755);
  const file = (name: string) => join(directory, name);
  const createAuthority = async (name: string) => {
    const key = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    await openssl('req', '-x509', ...newKey, '-subj', `/CN=${name}`, '-days', '2', ...key);
    return file(`${name}.pem`);
  };
  const sign = async (name: string, commonName: string, days: number): Promise<Certificate> => {
    const [certFile, keyFile, request] = [file(`${name}.pem`), file(`${name}.key`), file(`${name}.csr`)];
    await openssl('req', ...newKey, '-subj', `/CN=${commonName}`, '-keyout', keyFile, '-out', request);
    const signer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-extfile', file('extensions')];
    await openssl('x509', '-req', '-in', request, ...signer, '-days', String(days), '-out', certFile);
    return { certFile, keyFile };
  };
  await writeFile(file('extensions'), 'subjectAltName=DNS:localhost\n');
  const caFile = await createAuthority('ca');
  const otherCaFile = await createAuthority('other-ca');
  const server = await sign('server', 'localhost', 2);
  const expired = await sign('expired', 'localhost', -1);
  const keyStoreFile = file('server-store.pem');
  await writeFile(keyStoreFile, `${await readFile(server.keyFile, 'utf8')}${await readFile(server.certFile, 'utf8')}`);
  return {
    directory,
    caFile,
    otherCaFile,
    server,
    expired,
    keyStoreFile,
    client: (commonName) => sign(`client-${commonName}`, commonName, 2),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
