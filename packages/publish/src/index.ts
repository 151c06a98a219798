export { cloudEvent, type Event, type Message } from './cloud-event.ts';
export { cutSends, type Send } from './cut-sends.ts';
export { answers, KafkaSilent, kafkaClient } from './kafka-client.ts';
export { connectPublisher, type Publisher } from './publisher.ts';
export { type OriginalMessage, replayHeaders, replayMessage } from './replay-message.ts';
