import { ledgerTopic, topicName, topics } from '@tenantscope/contract';
import { kafkaPrincipals } from './kafka-principals.ts';

export type Operation = 'Read' | 'Write' | 'Create' | 'Alter' | 'Describe' | 'DescribeConfigs';

/** What one principal may do with a topic, with all topics of a prefix, or with a consumer group. */
export interface KafkaRight {
  readonly principal: string;
  readonly operations: readonly Operation[];
  readonly resource: 'topic' | 'group';
  readonly name: string;
  readonly isPrefix?: boolean;
  /** Refused, although another right includes it. */
  readonly isDenied?: boolean;
}

/** What an installation uses of what is optional. */
export interface OptionalUse {
  /** Jobs write records of the canary. */
  readonly canary?: boolean;
  /** Topics of source bindings, which ingest reads and whose retention operators read. */
  readonly boundTopic?: readonly string[];
}

/** The least that each process needs. */
export function listKafkaRights(
  topicPrefix: string,
  { canary = false, boundTopic = [] }: OptionalUse = {},
): readonly KafkaRight[] {
  const { ingest, jobs, collect, operator } = kafkaPrincipals;
  const prefix = { resource: 'topic', name: `${topicPrefix}.`, isPrefix: true } as const;
  const ledger = { resource: 'topic', name: topicName(topicPrefix, ledgerTopic) } as const;
  const collected = [topics.activity, topics.rawAlert, topics.rawEntity, topics.compliance];
  return [
    { principal: ingest, operations: ['Read', 'Write'], ...prefix },
    { principal: ingest, operations: ['Read'], resource: 'group', name: `${topicPrefix}.ingest` },
    { principal: ingest, operations: ['Read'], resource: 'group', name: `${topicPrefix}.ingest.bindings` },
    { principal: ingest, operations: ['Read'], resource: 'group', name: `${topicPrefix}.ledger`, isPrefix: true },
    { principal: jobs, operations: ['Read'], ...prefix },
    { principal: jobs, operations: ['Read'], ...ledger, isDenied: true },
    ...collected.map((topic): KafkaRight => {
      return { principal: collect, operations: ['Write'], resource: 'topic', name: topicName(topicPrefix, topic) };
    }),
    { principal: operator, operations: ['Create', 'Alter', 'Write', 'DescribeConfigs'], ...prefix },
    { principal: operator, operations: ['Read'], ...ledger },
    { principal: operator, operations: ['Read'], resource: 'group', name: `${topicPrefix}.ledger`, isPrefix: true },
    { principal: operator, operations: ['Describe'], resource: 'group', name: `${topicPrefix}.ingest`, isPrefix: true },
    ...(canary ? [topicName(topicPrefix, topics.activity)] : []).map((name): KafkaRight => {
      return { principal: jobs, operations: ['Write'], resource: 'topic', name };
    }),
    ...boundTopic.flatMap((name): KafkaRight[] => [
      { principal: ingest, operations: ['Read'], resource: 'topic', name },
      // The certificate of an erasure has the retention of the topic.
      { principal: operator, operations: ['Describe', 'DescribeConfigs'], resource: 'topic', name },
    ]),
  ];
}

/** The command of Kafka's own tool that grants or denies a right. */
export function formatRight({
  principal,
  operations,
  resource,
  name,
  isPrefix = false,
  isDenied = false,
}: KafkaRight): string {
  const listed = operations.map((operation) => `--operation ${operation}`).join(' ');
  const pattern = isPrefix ? '--resource-pattern-type prefixed ' : '';
  return `kafka-acls.sh --add --${isDenied ? 'deny' : 'allow'}-principal User:${principal} ${listed} ${pattern}--${resource} ${name}`;
}
