import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort, startTemporaryServices } from '@tenantscope/local';
import { connectBroker } from '../installation/broker.ts';
import { createCertificates } from './certificates.ts';
import { readDocumentedAcls } from './documented-acls.ts';
import { audience, startTokenEndpoint } from './token-endpoint.ts';

export const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer', 'mutual TLS'] as const;
export type Mechanism = (typeof mechanisms)[number];

const principals = [
  'tenantscope-ingest',
  'tenantscope-jobs',
  'tenantscope-operator',
  'tenantscope-publisher',
  'tenantscope-collect',
  'collector-activity',
  'collector-alert',
] as const;
export type Principal = (typeof principals)[number];

/** Shorter than the test file runs, so that a running consumer has to log in again. */
const tokenSeconds = 14;

/**
 * A broker with the ACLs of the operations manual, and the variables by which each principal connects to it.
 *
 * @param plainUsers passwords of further users of SASL PLAIN
 */
export async function startSecureKafka(plainUsers: Readonly<Record<string, string>> = {}) {
  const stack = new AsyncDisposableStack();
  const certificates = stack.use(await createCertificates());
  const passwords = Object.fromEntries(principals.map((name) => [name, randomBytes(12).toString('hex')]));
  const [saslPort, mutualTlsPort] = [await findFreePort(), await findFreePort()];
  const jwksFile = join(certificates.directory, 'jwks.json');
  const tokens = stack.use(await startTokenEndpoint(jwksFile, passwords, tokenSeconds));
  const services = stack.use(
    await startTemporaryServices({
      only: ['kafka'],
      security: {
        kafka: {
          saslPort,
          mutualTlsPort,
          keyStoreFile: certificates.keyStoreFile,
          caFile: certificates.caFile,
          plainUsers: { ...passwords, ...plainUsers },
          scramUsers: passwords,
          oauth: { jwksFile, audience },
        },
      },
    }),
  );
  /** By the plaintext listener: a superuser. */
  const superuser = stack.use(await connectBroker(services.kafka));
  await superuser.admin.createAcls({ acl: await readDocumentedAcls() });
  const security = {
    TENANTSCOPE_KAFKA_BROKERS: `localhost:${saslPort}`,
    TENANTSCOPE_KAFKA_SSL_CA_FILE: certificates.caFile,
  };

  return {
    certificates,
    tokens,
    superuser,
    service: services.kafkaService,
    /** The plaintext listener. */
    address: services.kafka,
    saslPort,
    passwords,
    async variables(principal: Principal, mechanism: Mechanism = 'scram-sha-512'): Promise<Record<string, string>> {
      if (mechanism === 'mutual TLS') {
        const { certFile, keyFile } = await certificates.client(principal);
        return {
          ...security,
          TENANTSCOPE_KAFKA_BROKERS: `localhost:${mutualTlsPort}`,
          TENANTSCOPE_KAFKA_SSL_CERT_FILE: certFile,
          TENANTSCOPE_KAFKA_SSL_KEY_FILE: keyFile,
        };
      }
      const login = mechanism === 'oauthbearer' ? 'OAUTH_CLIENT' : '';
      const names = login === '' ? ['USERNAME', 'PASSWORD_FILE'] : [`${login}_ID`, `${login}_SECRET_FILE`];
      const file = join(certificates.directory, `${principal}-${mechanism}`);
      await writeFile(file, passwords[principal] ?? '');
      return {
        ...security,
        TENANTSCOPE_KAFKA_SASL_MECHANISM: mechanism,
        [`TENANTSCOPE_KAFKA_SASL_${names[0]}`]: principal,
        [`TENANTSCOPE_KAFKA_SASL_${names[1]}`]: file,
        ...(login === '' ? {} : { TENANTSCOPE_KAFKA_SASL_OAUTH_TOKEN_URL: tokens.url }),
      };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type SecureKafka = Awaited<ReturnType<typeof startSecureKafka>>;
