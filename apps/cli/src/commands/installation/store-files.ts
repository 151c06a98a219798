import { kafkaPrincipals } from './kafka-principals.ts';
import type { Passwords } from './passwords.ts';

/** Contents of configuration files by path, relative to the installation. All of them are readable by their owner only. */
export type Files = Readonly<Record<string, string>>;

export const databaseName = 'tenantscope';

/** The owner of the schema, which `tenantscope migrate` uses; it creates the logins of the processes. */
export function postgresFiles({ postgres }: Passwords): Files {
  return {
    'postgres/initialize.sql': formatInitialization(postgres.owner),
    'postgres/pg_hba.conf': `local all all scram-sha-256
local replication postgres scram-sha-256
hostssl all all all scram-sha-256
`,
    'secrets/postgres_password': postgres.superuser,
  };
}

/** What a superuser executes once on an empty server. */
export function formatInitialization(ownerPassword: string): string {
  return `CREATE ROLE tenantscope_owner LOGIN CREATEROLE PASSWORD '${ownerPassword}';
CREATE DATABASE ${databaseName} OWNER tenantscope_owner;
`;
}

/** Rights of docs/operations/tls.md. The user health may do nothing but ping; the operator replaces passwords and certificates, and reads no data. */
export function redisFiles({ redis }: Passwords, address: string): Files {
  return {
    'redis/redis.conf': `port 0
tls-port 6379
tls-cert-file /run/secrets/redis.pem
tls-key-file /run/secrets/redis.key
tls-ca-cert-file /run/secrets/ca.pem
tls-auth-clients no
dir /data
appendonly yes
maxmemory-policy noeviction
user default off
user health on nopass resetchannels -@all +ping
user tenantscope-operator on >${redis.operator} resetchannels -@all +acl +client +config +info +ping
user tenantscope-api on >${redis.api} ~tenantscope:rate:* resetchannels -@all +multi +exec +set +incrby +pttl +info +eval +evalsha +time +zadd +zremrangebyscore +zcard
user tenantscope-jobs on >${redis.jobs} ~{tenantscope}:* ~{tenantscope.*}:* resetchannels &{tenantscope}:* &{tenantscope.*}:* -@all +@read +@write +@blocking +@transaction +@scripting +@connection +info
`,
    'secrets/redis_operator': redis.operator,
    'secrets/redis_api_url': `rediss://tenantscope-api:${redis.api}@${address}`,
    'secrets/redis_jobs_url': `rediss://tenantscope-jobs:${redis.jobs}@${address}`,
  };
}

const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required';

/** One broker that is its own controller. Clients use TLS and SCRAM; what no ACL allows is refused. */
export function kafkaFiles({ kafka }: Passwords, clusterId: string): Files {
  const users = Object.entries(kafka).map(([name, password]) => `${name}:${password}\n`);
  const admin = `${scram} username="${kafkaPrincipals.admin}" password="${kafka[kafkaPrincipals.admin]}";`;
  return {
    'kafka/server.properties': `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@localhost:9094
listeners=SASL_SSL://:9093,CONTROLLER://localhost:9094
advertised.listeners=SASL_SSL://kafka:9093
controller.listener.names=CONTROLLER
inter.broker.listener.name=SASL_SSL
listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=SCRAM-SHA-512
sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=${admin}
ssl.keystore.type=PEM
ssl.keystore.location=/run/secrets/kafka.pem
ssl.truststore.type=PEM
ssl.truststore.location=/run/secrets/ca.pem
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:${kafkaPrincipals.admin};User:ANONYMOUS
log.dirs=/var/lib/kafka/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.hours=168
`,
    // Of the tools in the container, as a superuser.
    'kafka/admin.properties': `security.protocol=SASL_SSL
sasl.mechanism=SCRAM-SHA-512
sasl.jaas.config=${admin}
ssl.truststore.type=PEM
ssl.truststore.location=/run/secrets/ca.pem
`,
    // User ANONYMOUS is the broker itself on the controller's listener, which only this container reaches.
    'kafka/start.sh': `#!/bin/bash
# Formats the log directory on the first start and creates the users, then executes the broker.
set -eu
# Arguments are read from a file, a line each: those of a program are visible to other users of the host.
list_users() { while IFS=: read -r name password; do printf -- '--add-scram\\nSCRAM-SHA-512=[name=%s,password=%s]\\n' "$name" "$password"; done; }
(umask 077; list_users < /run/secrets/kafka_users > /tmp/users)
/opt/kafka/bin/kafka-storage.sh format --ignore-formatted --cluster-id ${clusterId} --config /etc/tenantscope/server.properties @/tmp/users
rm /tmp/users
exec /opt/kafka/bin/kafka-server-start.sh /etc/tenantscope/server.properties
`,
    'secrets/kafka_users': users.join(''),
    ...Object.fromEntries(
      Object.entries(kafka).map(([name, password]) => [`secrets/kafka_${name.replace('tenantscope-', '')}`, password]),
    ),
  };
}
