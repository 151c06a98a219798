import { listCauses } from './error-causes.ts';

/** What is wrong with a TLS connection, and which variables of the store (TENANTSCOPE_<PREFIX>_SSL_…) to check; null for other errors. */
export function describeTlsError(error: unknown, prefix: 'KAFKA' | 'POSTGRES' | 'REDIS'): string | null {
  for (const { code, message } of listCauses(error)) {
    const text = `${code ?? ''} ${message}`;
    const found = reasons.find(([pattern]) => pattern.test(text));
    if (found !== undefined) return found[1].replaceAll('*', `TENANTSCOPE_${prefix}`);
  }
  return null;
}

// Codes of Node.js and OpenSSL. The messages are searched too, since kafkajs keeps only these.
const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER|CERT_SIGNATURE_FAILURE|self-signed certificate|unable to verify the first certificate|unable to get (local )?issuer/i,
    'presents a certificate of an unknown authority; set *_SSL_CA_FILE to the certificate of its authority',
  ],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/i,
    'presents a certificate for another host name; use a name of the certificate in the address, or set *_SSL_SERVERNAME',
  ],
  [
    /alert certificate expired|CERTIFICATE_EXPIRED/i,
    'rejects the client certificate as expired; renew *_SSL_CERT_FILE',
  ],
  [/CERT_HAS_EXPIRED|certificate has expired/i, 'presents an expired certificate; renew it on the server'],
  [/CERT_NOT_YET_VALID|not yet valid/i, 'presents a certificate that is not valid yet; check the clocks'],
  [
    /certificate required|alert (unknown ca|bad certificate|certificate unknown|handshake failure)|ALERT_(CERTIFICATE|UNKNOWN_CA|BAD_CERTIFICATE|HANDSHAKE)/i,
    'rejects the client certificate; check *_SSL_CERT_FILE and *_SSL_KEY_FILE',
  ],
  [
    /WRONG_VERSION_NUMBER|packet length too long|ERR_SSL_|EPROTO|does not support SSL/i,
    'does not accept TLS on this port; check the address and *_SSL',
  ],
];
