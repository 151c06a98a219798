import type { InitOptions } from './init-options.ts';

/** What to do after `tenantscope init`, for the terminal. */
export function describeNextSteps(
  directory: string,
  { publicUrl, consoleUrl, postgres, kafka, redis }: InitOptions,
): string {
  const own = [
    postgres &&
      `  PostgreSQL ${postgres}: run postgres/initialize.sql as a superuser; put its authority into secrets/postgres_ca.pem`,
    kafka &&
      `  Kafka ${kafka}: create the users of secrets/kafka_users with SCRAM-SHA-512; put its authority into secrets/kafka_ca.pem`,
    redis && `  Redis ${redis}: create the users of redis/redis.conf; put its authority into secrets/redis_ca.pem`,
  ].filter(Boolean);
  return [
    `Installation written to ${directory}. Its secrets exist only there: back the directory up.`,
    '',
    ...(own.length > 0 ? ['Stores of your own, before the start:', ...own, ''] : []),
    'Start it, in that directory:',
    '  docker compose up --detach',
    '',
    'Create an organization, a tenant and a key, which is shown once:',
    '  docker compose run --rm cli org create --name Example',
    '  docker compose run --rm cli tenant create --name "Example Ltd" --org ORGANIZATION',
    '  docker compose run --rm cli key create --name siem --scopes logs:read --tenant TENANT',
    '',
    'Import a file of your own and read it:',
    '  docker compose run --rm -T cli import --tenant TENANT - < events.ndjson',
    `  curl -H "Authorization: Bearer KEY" "${publicUrl}/logs"`,
    '',
    `First administrator of the console (${consoleUrl}):`,
    '  docker compose run --rm cli console set-up',
  ].join('\n');
}
