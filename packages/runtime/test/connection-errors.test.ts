import { expect, test } from 'vitest';
import { describeKafkaError, describePostgresError, describeRedisError, isKafkaAccessRefused } from '../src/index.ts';

const failure = (message: string, fields: object = {}, cause?: Error) =>
  Object.assign(new Error(message, { cause }), fields);

test('the innermost cause of a Kafka error is reported', () => {
  const at = { brokers: 'b:9092', topic: 't.v1' };
  const missing = failure('no such topic', { type: 'UNKNOWN_TOPIC_OR_PARTITION' });
  const wrapped = failure('retries', {}, failure('again', {}, missing));
  expect(describeKafkaError(wrapped, at)).toContain('the topic t.v1 does not exist');
  expect(describeKafkaError(failure('x', { name: 'KafkaJSConnectionError' }), at)).toContain(
    'TENANTSCOPE_KAFKA_BROKERS',
  );
  for (const code of ['PLT_KFK_NETWORK', 'PLT_KFK_TIMEOUT'])
    expect(describeKafkaError(failure('Connection closed', { code }), at)).toContain('does not respond');
  expect(describeKafkaError(failure('x', { name: 'Other' }), at)).toBe('Kafka reported an error: Other: x');
});

test('the reason is found among the errors of several topics', () => {
  const refused = failure('not authorized', { type: 'TOPIC_AUTHORIZATION_FAILED' });
  const several = failure('Topic creation errors', { name: 'KafkaJSAggregateError', errors: [refused] });
  expect(describeKafkaError(several, { brokers: 'b:9093' })).toContain('refuses access (TOPIC_AUTHORIZATION_FAILED)');
  expect(isKafkaAccessRefused(several)).toBe(true);
  expect(isKafkaAccessRefused(failure('x', { type: 'INVALID_PARTITIONS' }))).toBe(false);
});

test('a refused login is found by its message, since a deadline retains only that', () => {
  const last = failure('SASL SCRAM SHA512 authentication failed: Authentication failed');
  const late = failure('Kafka at b:9093 did not respond', { name: 'KafkaUnavailable' }, last);
  expect(describeKafkaError(late, { brokers: 'b:9093' })).toMatch(/rejects the login .*TENANTSCOPE_KAFKA_SASL_/);
});

test.each([
  ['Connection error: self-signed certificate in certificate chain', 'TENANTSCOPE_KAFKA_SSL_CA_FILE'],
  ["Connection error: Hostname/IP does not match certificate's altnames", 'TENANTSCOPE_KAFKA_SSL_SERVERNAME'],
  ['Connection error: certificate has expired', 'renew it on the server'],
])('a TLS failure of a broker, "%s", names what to check', (message, expected) => {
  const error = failure(
    'retries',
    { name: 'KafkaJSNumberOfRetriesExceeded' },
    failure(message, { name: 'KafkaJSConnectionError' }),
  );
  expect(describeKafkaError(error, { brokers: 'b:9093' })).toContain(expected);
});

test('a statement that mentions certificates is not a failed connection', () => {
  expect(describePostgresError(failure('certificate has expired', { code: 'P0001' }))).toBeNull();
  expect(describePostgresError(failure('certificate has expired', { code: 'CERT_HAS_EXPIRED' }))).toContain('expired');
});

test.each([
  ['53100', 'no disk space left'],
  ['53200', 'no memory left'],
  ['53300', 'max_connections'],
])('an error %s of PostgreSQL is described by its cause', (code, expected) => {
  expect(describePostgresError(failure('x', { code }))).toContain(expected);
  expect(describePostgresError(failure('x', {}, failure('y', { code })))).toContain(expected);
});

test('a host name that cannot be resolved is that of PostgreSQL, unless a request to another server has it', () => {
  const unresolved = failure('getaddrinfo EAI_AGAIN db', { code: 'EAI_AGAIN' });
  expect(describePostgresError(unresolved)).toContain('host name that cannot be resolved');
  expect(describePostgresError(failure('fetch failed', {}, unresolved))).toBeNull();
});

test('the ACL of a Redis user names the missing command', () => {
  const refused = failure("NOPERM User ingest has no permissions to run the 'evalsha' command");
  expect(describeRedisError(refused)).toContain('the command evalsha');
  expect(describeRedisError(failure('connect ECONNREFUSED'))).toContain('TENANTSCOPE_REDIS_URL');
});
