import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../config/config-error.ts';

/** Options for `tls.connect`. The files are read at each connection: a renewed certificate needs no restart. */
export interface TlsOptions {
  /** Set explicitly: the default would follow NODE_TLS_REJECT_UNAUTHORIZED. */
  readonly rejectUnauthorized: true;
  /** Set explicitly: the default would follow NODE_OPTIONS. */
  readonly minVersion: 'TLSv1.2';
  readonly ciphers: string;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly servername?: string;
}

/** Authenticated encryption with forward secrecy. The defaults of Node.js also have suites of TLS 1.2 with CBC and without forward secrecy. */
const recommendedCiphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':');

export interface TlsFiles {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** Options that verify the server's certificate and its host name. Without a CA file the certificate authorities of Node.js apply. */
export function createTlsOptions({ caFile, certFile, keyFile }: TlsFiles, servername?: string): TlsOptions {
  return {
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ciphers: recommendedCiphers,
    get ca() {
      return caFile && readFileSync(caFile, 'utf8');
    },
    get cert() {
      return certFile && readFileSync(certFile, 'utf8');
    },
    get key() {
      return keyFile && readFileSync(keyFile, 'utf8');
    },
    ...(servername === undefined ? {} : { servername }),
  };
}

/** The files of `<prefix>_SSL_CA_FILE`, `_CERT_FILE` and `_KEY_FILE`. Throws ConfigError where one cannot be used. */
export function readTlsFiles(prefix: string, config: Readonly<Record<string, unknown>>): TlsFiles {
  const variable = (part: string) => `${prefix}_SSL_${part}_FILE`;
  const file = (part: string) => config[variable(part)] as string | undefined;
  const files = { caFile: file('CA'), certFile: file('CERT'), keyFile: file('KEY') };
  if ((files.certFile === undefined) !== (files.keyFile === undefined))
    throw new ConfigError([`${variable('CERT')} and ${variable('KEY')} must be set together`]);
  checkFile(variable('CA'), files.caFile, (ca) => createSecureContext({ ca }));
  checkFile(variable('CERT'), files.certFile, (cert) => createSecureContext({ cert }));
  checkFile(variable('KEY'), files.keyFile, (key) => {
    createSecureContext({ cert: readFileSync(files.certFile ?? '', 'utf8'), key });
  });
  return files;
}

function checkFile(variable: string, file: string | undefined, use: (text: string) => unknown): void {
  if (file === undefined) return;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`${variable}: cannot read the file (${(error as NodeJS.ErrnoException).code})`]);
  }
  try {
    if (!text.includes('-----BEGIN ')) throw new Error('no PEM block');
    use(text);
  } catch {
    throw new ConfigError([
      `${variable}: the file is not usable; it must contain PEM, and a key must belong to its certificate`,
    ]);
  }
}
