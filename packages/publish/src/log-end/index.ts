// Apart from the producer: it loads another Kafka client, of 480 modules, for which a command of the CLI took 0.3 s.
export { createAdminOptions } from './admin-options.ts';
export { probeReadAccess } from './fetch-request.ts';
export { createLogEndReader, type LogEnd, type LogEndReader, type LogPosition } from './log-end-reader.ts';
export { identifyTopic, type TopicIdentity } from './topic-identity.ts';
