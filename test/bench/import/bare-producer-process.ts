import { createReadStream } from 'node:fs';
import kafkajs from 'kafkajs';

// The comparison of the benchmark of import: a program of a page that sends each line of a file as a message, with the tenant as its key and without headers, and
// reads while it sends.
const [brokers = '', topic = '', key = '', file = ''] = process.argv.slice(2);
const batchBytes = 700_000;

const kafka = new kafkajs.Kafka({ brokers: [brokers], clientId: 'bare producer', logLevel: kafkajs.logLevel.ERROR });
const producer = kafka.producer({
  createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
  allowAutoTopicCreation: false,
});
await producer.connect();
let sending: Promise<unknown> = Promise.resolve();
let values: Buffer[] = [];
let bytes = 0;
async function flush(): Promise<void> {
  await sending;
  sending = producer.send({ topic, acks: -1, messages: values.map((value) => ({ key, value })) });
  [values, bytes] = [[], 0];
}
let rest: Buffer = Buffer.alloc(0);
for await (const chunk of createReadStream(file, { highWaterMark: 262_144 }) as AsyncIterable<Buffer>) {
  const text = Buffer.concat([rest, chunk]);
  let from = 0;
  for (let to = text.indexOf(0x0a); to !== -1; to = text.indexOf(0x0a, from)) {
    values.push(text.subarray(from, to));
    bytes += to - from;
    from = to + 1;
    if (bytes > batchBytes) await flush();
  }
  rest = text.subarray(from);
}
if (values.length > 0) await flush();
await sending;
await producer.disconnect();
