/** Listeners on localhost with TLS: one with SASL, one with client certificates. ACLs apply there; the plaintext listener is a superuser. */
export interface BrokerSecurity {
  saslPort: number;
  /** Clients need a certificate; its common name is their principal. */
  mutualTlsPort: number;
  /** PEM: the PKCS #8 key of the server and its certificate. */
  keyStoreFile: string;
  /** PEM: authorities of the clients' certificates. */
  caFile: string;
  /** Passwords of the users of PLAIN and of SCRAM-SHA-256 and SCRAM-SHA-512. */
  plainUsers: Readonly<Record<string, string>>;
  scramUsers: Readonly<Record<string, string>>;
  /** Keys (JWKS) that sign access tokens, and the audience of the tokens; their claim `sub` is the principal. */
  oauth: { jwksFile: string; audience: string };
}

const module = 'org.apache.kafka.common.security';

/** Adds the secure listeners to the settings of a broker. */
export function addSecurity(
  settings: Readonly<Record<string, string | number | boolean>>,
  security: BrokerSecurity,
): Record<string, string | number | boolean> {
  const { saslPort, mutualTlsPort, keyStoreFile, caFile, plainUsers, oauth } = security;
  const users = Object.entries(plainUsers).map(([name, password]) => ` user_${name}="${password}"`);
  const bearer = `${module}.oauthbearer`;
  return {
    ...settings,
    listeners: `${settings.listeners},SASL_SSL://127.0.0.1:${saslPort},SSL://127.0.0.1:${mutualTlsPort}`,
    'advertised.listeners': `${settings['advertised.listeners']},SASL_SSL://localhost:${saslPort},SSL://localhost:${mutualTlsPort}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL',
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keyStoreFile,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': caFile,
    'listener.name.ssl.ssl.client.auth': 'required',
    'ssl.principal.mapping.rules': 'RULE:^CN=([^,]+).*$/$1/',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    'listener.name.sasl_ssl.plain.sasl.jaas.config': `${module}.plain.PlainLoginModule required${users.join('')};`,
    'listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config': `${module}.scram.ScramLoginModule required;`,
    'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': `${module}.scram.ScramLoginModule required;`,
    'listener.name.sasl_ssl.oauthbearer.sasl.jaas.config': `${bearer}.OAuthBearerLoginModule required;`,
    'listener.name.sasl_ssl.oauthbearer.sasl.server.callback.handler.class': `${bearer}.OAuthBearerValidatorCallbackHandler`,
    'listener.name.sasl_ssl.oauthbearer.sasl.oauthbearer.jwks.endpoint.url': `file://${oauth.jwksFile}`,
    'listener.name.sasl_ssl.oauthbearer.sasl.oauthbearer.expected.audience': oauth.audience,
    // A session ends with its token: the client has to log in again before.
    'listener.name.sasl_ssl.oauthbearer.connections.max.reauth.ms': 3_600_000,
  };
}

/** Arguments of the storage tool that create the SCRAM users. */
export function listScramArguments({ scramUsers }: BrokerSecurity): string[] {
  return Object.entries(scramUsers).flatMap(([name, password]) =>
    ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name=${name},password=${password}]`,
    ]),
  );
}
