import { type DriverError, listCauses } from './error-causes.ts';
import { nameClusterVariables } from './kafka-variable-names.ts';
import { describeTlsError } from './tls-error.ts';

interface ErrorPlace {
  readonly brokers: string;
  /** The name of a further cluster; absent from the main one. */
  readonly cluster?: string;
  readonly topic?: string;
}

/** Describes an error of a Kafka client: which broker or topic, which variable to check, what to do. Contains no secret. */
export function describeKafkaError(error: unknown, at: ErrorPlace): string {
  const description = describeError(error, at);
  return at.cluster === undefined ? description : nameClusterVariables(at.cluster, description);
}

/** Whether the broker refused a request for want of an ACL. */
export function isKafkaAccessRefused(error: unknown): boolean {
  return listCauses(error).some(({ type, apiId }) => isAuthorizationFailure(type ?? apiId));
}

/** Whether the broker that responded does not know the topic: it does not exist, or was created a moment ago. */
export function isTopicUnknown(error: unknown): boolean {
  return listCauses(error).some(({ type, apiId }) => (type ?? apiId) === 'UNKNOWN_TOPIC_OR_PARTITION');
}

const isAuthorizationFailure = (type: string | undefined) => type?.endsWith('_AUTHORIZATION_FAILED') ?? false;

function describeError(error: unknown, at: ErrorPlace): string {
  const errors = listCauses(error);
  const isProtocolError = (each: DriverError) => each.type !== undefined || each.apiId !== undefined;
  const { type: kafkajsType, apiId, name = '', message = '' } = errors.findLast(isProtocolError) ?? errors.at(-1) ?? {};
  const type = kafkajsType ?? apiId;
  const kafka = `Kafka at ${at.brokers}`;
  const tls = describeTlsError(error, 'KAFKA');
  if (tls !== null) return `${kafka} ${tls}`;
  const token = errors.find((each) => each.name === 'TokenRequestFailed');
  if (token !== undefined) return `${token.message}; check TENANTSCOPE_KAFKA_SASL_OAUTH_*`;
  const login = errors.find((each) => /^SASL .*(authentication failed|not supported)/i.test(each.message ?? ''));
  if (login !== undefined) return `${kafka} rejects the login (${login.message}); check TENANTSCOPE_KAFKA_SASL_*`;
  if (isAuthorizationFailure(type))
    return `${kafka} refuses access (${type}); grant the ACLs of docs/operations/kafka-acls.md to the principal of TENANTSCOPE_KAFKA_SASL_* or TENANTSCOPE_KAFKA_SSL_CERT_FILE`;
  if (type === 'UNKNOWN_TOPIC_OR_PARTITION')
    return `the topic ${at.topic ?? ''} does not exist; run "tenantscope migrate"`;
  if (type === 'MESSAGE_TOO_LARGE') return `${at.topic} rejects records of this size (max.message.bytes)`;
  if (errors.some(isConnectionFailure))
    return `${kafka} does not respond; check TENANTSCOPE_KAFKA_BROKERS and TENANTSCOPE_KAFKA_SSL`;
  return `Kafka reported an error: ${type ?? name}: ${message}`;
}

/** kafkajs tells by the name of the error, the other client by its code. */
const isConnectionFailure = ({ name = '', code = '' }: DriverError): boolean =>
  /Connection|Timeout|Broker|KafkaUnavailable/.test(name) || /^PLT_KFK_(NETWORK|TIMEOUT)$/.test(code);
