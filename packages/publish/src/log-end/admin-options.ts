import type { ConnectionOptions } from 'node:tls';
import type { AdminOptions, SASLOptions } from '@platformatic/kafka';

interface PasswordLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

interface TokenLogin {
  readonly mechanism: 'oauthbearer';
  oauthBearerProvider(): Promise<{ value: string }>;
}

/** Brokers, host:port, several separated by commas, and how to connect to them. */
export interface AdminConnection {
  readonly brokers: string;
  /** The name of a further cluster; absent from the main one. */
  readonly cluster?: string;
  readonly ssl?: Readonly<ConnectionOptions>;
  readonly sasl?: PasswordLogin | TokenLogin;
}

/** The options of the client that knows topic ids. Passwords and tokens are read at each login, since they may have been replaced. */
export function createAdminOptions(
  { brokers, ssl, sasl }: AdminConnection,
  clientId: string,
): Pick<AdminOptions, 'clientId' | 'bootstrapBrokers' | 'tls' | 'sasl' | 'retries'> & { bootstrapBrokers: string[] } {
  return {
    clientId,
    bootstrapBrokers: brokers.split(',').map((broker) => broker.trim()),
    ...(ssl === undefined ? {} : { tls: { ...ssl } }),
    ...(sasl === undefined ? {} : { sasl: toSaslOptions(sasl) }),
    retries: 0,
  };
}

function toSaslOptions(sasl: PasswordLogin | TokenLogin): SASLOptions {
  if (sasl.mechanism === 'oauthbearer')
    return { mechanism: 'OAUTHBEARER', token: async () => (await sasl.oauthBearerProvider()).value };
  const mechanisms = { plain: 'PLAIN', 'scram-sha-256': 'SCRAM-SHA-256', 'scram-sha-512': 'SCRAM-SHA-512' } as const;
  return { mechanism: mechanisms[sasl.mechanism], username: sasl.username, password: () => sasl.password };
}
