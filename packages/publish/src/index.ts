export { createCloudEventMessage, type Event, type Message } from './cloud-event-message.ts';
export { formatImportHeader, importHeader, parseImportHeader } from './import-header.ts';
export {
  type BrokerConnection,
  type ClientOptions,
  createKafkaClient,
  KafkaUnavailable,
  waitForBroker,
} from './kafka-client.ts';
export { type LedgerMessage, type LedgerTopic, openLedgerTopic } from './ledger-topic.ts';
export { connectPublisher, type Publisher } from './publisher.ts';
export { createReplayMessage, type OriginalMessage, replayHeaders } from './replay-message.ts';
export { type MessageBatch, splitIntoBatches } from './split-batches.ts';
