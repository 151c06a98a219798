import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { type Environment, readConfig } from '../config/read-config.ts';
import { commaList, declaring, listVariables } from '../config/variables.ts';
import { type KafkaConnection, kafkaVariables, readKafkaConnection } from './kafka.ts';
import { nameClusterVariables } from './kafka-variable-names.ts';

/** The name of the cluster of TENANTSCOPE_KAFKA_BROKERS, which has the product's own topics. */
export const mainCluster = 'main';

const namePattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
const clusterShape = z.object(kafkaVariables);

/** Declared by every process that reads bound topics or their offsets. */
export const kafkaClusterVariables = {
  TENANTSCOPE_KAFKA_CLUSTERS: declaring(
    'Comma list of names of further Kafka clusters, for source bindings. Each variable TENANTSCOPE_KAFKA_… of Kafka exists for each of them as TENANTSCOPE_KAFKA_CLUSTER_NAME_…, with the name in upper case and _ for each hyphen.',
    commaList()
      .pipe(
        z
          .array(z.string().regex(namePattern, 'must be names of a-z, 0-9 and hyphens, separated by commas'))
          .refine(
            (names) => !names.includes(mainCluster),
            'must not contain main, the cluster of TENANTSCOPE_KAFKA_BROKERS',
          )
          .refine((names) => new Set(names).size === names.length, 'must not contain a name twice'),
      )
      .default([]),
    (value) => Object.fromEntries(parseNames(value).flatMap(declareCluster)),
  ),
};

export type KafkaClusterConfig = z.infer<z.ZodObject<typeof kafkaClusterVariables>>;

/** By name, the connections of the further clusters. Throws ConfigError, which names every missing or wrong variable. */
export function readKafkaClusters(
  { TENANTSCOPE_KAFKA_CLUSTERS: names }: KafkaClusterConfig,
  environment: Environment = process.env,
): ReadonlyMap<string, KafkaConnection> {
  const problems: string[] = [];
  const clusters = new Map<string, KafkaConnection>();
  for (const name of names) {
    try {
      clusters.set(name, readKafkaCluster(name, environment));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return clusters;
}

/** Reads the variables of a cluster as those of the main one, so that the same rules apply. */
function readKafkaCluster(name: string, environment: Environment): KafkaConnection {
  const given: Record<string, string | undefined> = {};
  for (const variable of listVariables(clusterShape))
    given[variable] = environment[nameClusterVariables(name, variable)];
  try {
    return { ...readKafkaConnection(readConfig(clusterShape, given), given), cluster: name };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((problem) => nameClusterVariables(name, problem)));
  }
}

/** Names that are invalid declare nothing; the process that reads the value reports them. */
const parseNames = (value: string): string[] =>
  commaList()
    .parse(value)
    .filter((name) => namePattern.test(name));

const declareCluster = (name: string): [variable: string, schema: z.ZodType][] =>
  Object.entries(kafkaVariables)
    .filter(([variable]) => variable.startsWith('TENANTSCOPE_KAFKA_'))
    .map(([variable, schema]) => [nameClusterVariables(name, variable), schema]);
