import { dayMs } from '@tenantscope/contract';
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate with its private key, both PEM. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  /** PKCS #8 PEM. It issues certificates that the processes accept. */
  readonly key: string;
  /** Issues a server certificate for these host names. */
  issue(hosts: readonly string[]): Promise<IssuedCertificate>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** Clocks of other hosts may be behind. */
const skewMs = 3_600_000;

/** Creates an authority for the connections between the parts of one installation. Its certificates are valid for `days`. */
export async function createCertificateAuthority(days: number, now = Date.now()): Promise<CertificateAuthority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const validity = { notBefore: new Date(now - skewMs), notAfter: new Date(now + days * dayMs) };
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Tenantscope installation',
    ...validity,
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const { privateKey } = keys;
  return openAuthority(authority, { privateKey, key: await exportKey(privateKey), notBefore: validity.notBefore });
}

/** Opens an authority that was created before. */
export async function loadCertificateAuthority(
  { certificate, key }: IssuedCertificate,
  now = Date.now(),
): Promise<CertificateAuthority> {
  const der = Buffer.from(key.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
  return openAuthority(new X509Certificate(certificate), { privateKey, key, notBefore: new Date(now - skewMs) });
}

/** What it issues expires with it. */
function openAuthority(
  authority: X509Certificate,
  { privateKey, key, notBefore }: { privateKey: webcrypto.CryptoKey; key: string; notBefore: Date },
): CertificateAuthority {
  return {
    certificate: `${authority.toString('pem')}\n`,
    key,
    async issue(hosts) {
      const server = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${hosts[0]}`,
        issuer: authority.subject,
        ...{ notBefore, notAfter: authority.notAfter },
        signingAlgorithm: algorithm,
        publicKey: server.publicKey,
        signingKey: privateKey,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns', value }))),
        ],
      });
      return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(server.privateKey) };
    },
  };
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
}
