import { topicName, topics } from '@tenantscope/contract';
import { connectPublisher, createCloudEventMessage, type Publisher } from '@tenantscope/publish';
import type { KafkaConnection } from '@tenantscope/runtime';
import type { JobsConfig } from '../config.ts';
import { type CanaryOptions, startCanary } from './canary.ts';
import { createCanaryClient } from './canary-client.ts';
import type { CanaryMetrics } from './canary-metrics.ts';

/** Starts the canary where it is configured. Kafka and the API may be unavailable: every step is repeated. */
export function startConfiguredCanary(
  config: JobsConfig,
  kafka: KafkaConnection,
  { metrics, log, warn }: { readonly metrics: CanaryMetrics } & Pick<CanaryOptions, 'log' | 'warn'>,
): AsyncDisposable | null {
  const { TENANTSCOPE_CANARY_TENANT_ID: tenantId, TENANTSCOPE_CANARY_API_KEY: key } = config;
  const url = config.TENANTSCOPE_CANARY_API_URL;
  if (tenantId === undefined || key === undefined || url === undefined) return null;
  const topic = topicName(config.TENANTSCOPE_TOPIC_PREFIX, topics.activity);
  let publisher: Publisher | null = null;
  const send = async (value: Buffer, id: string, timeMs: number) => {
    publisher ??= await connectPublisher({ ...kafka, clientId: 'tenantscope-canary' });
    const type = 'tenantscope.raw.o365-management-activity.v1';
    await publisher.send(topic, [createCloudEventMessage({ id, source: '/canary', type, tenantId, timeMs, value })]);
  };
  const canary = startCanary({
    client: createCanaryClient(url, key),
    send,
    metrics,
    log,
    warn,
    intervalMs: config.TENANTSCOPE_CANARY_INTERVAL_SECONDS * 1_000,
  });
  log.info({ tenantId }, 'canary started');
  return {
    async [Symbol.asyncDispose]() {
      await canary[Symbol.asyncDispose]();
      await publisher?.[Symbol.asyncDispose]();
    },
  };
}
