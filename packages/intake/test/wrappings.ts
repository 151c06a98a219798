import { gzipSync } from 'node:zlib';

/** How collectors and shippers send one record, given as JSON text. */
export type Wrap = (text: string) => string | Buffer;

const time = '2026-11-20T08:15:31Z';
const json = JSON.stringify;
/** An object with the record, not its text, as the last member. */
const around = (members: Readonly<Record<string, unknown>>, name: string, text: string) =>
  `${json(members).replace(/\}$/, '')}${Object.keys(members).length > 0 ? ',' : ''}${json(name)}:${text}}`;
const beats = { '@timestamp': time, agent: { type: 'filebeat' }, ecs: { version: '8.0.0' }, host: { name: 'h' } };
const connect = { schema: { type: 'struct', fields: [], optional: false } };
const hec = { time: 1_795_335_331, host: 'h', source: 's', sourcetype: 'json', index: 'main' };
const bridge = {
  version: '0',
  id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
  'detail-type': 'SystemLog',
  source: 'aws.partner/okta.com/x/y',
  account: '123456789012',
  time,
  region: 'eu-central-1',
  resources: [],
};
const hook = {
  eventType: 'com.okta.event_hook',
  eventTypeVersion: '1.0',
  cloudEventsVersion: '0.1',
  source: 'https://contoso.okta.example/api/v1/eventHooks/1',
  eventId: 'e-1',
  eventTime: time,
  contentType: 'application/json',
};
const pushed = (data: Buffer) =>
  json({
    message: { data: data.toString('base64'), attributes: {}, messageId: '1', publishTime: time },
    subscription: 's',
  });

/** Every one of them gives the same rows, ids and raw data as the record alone. */
export const wrappings: Readonly<Record<string, Wrap>> = {
  'an array': (text) => `[${text}]`,
  'an event hub': (text) => `{"records":[${text}]}`,
  'a page of Graph': (text) => `{"@odata.context":"x","value":[${text}]}`,
  'a page of Google': (text) => `{"kind":"admin#reports#activities","items":[${text}]}`,
  'a list of events': (text) => `{"events":[${text}]}`,
  'JSON text in a string': (text) => json(text),
  'an array of JSON texts': (text) => json([text]),
  'a byte order mark': (text) => `\ufeff${text}`,
  gzip: (text) => gzipSync(text),
  'gzip of an event hub': (text) => gzipSync(`{"records":[${text}]}`),
  Filebeat: (text) => json({ ...beats, message: text, log: { offset: 7 }, input: { type: 'kafka' } }),
  'Filebeat around an event hub': (text) => json({ ...beats, message: `{"records":[${text}]}` }),
  'Elastic Agent': (text) => json({ ...beats, event: { original: text, dataset: 'x' } }),
  'Elastic Agent with dotted names': (text) => json({ '@timestamp': time, 'event.original': text }),
  Logstash: (text) => json({ ...beats, '@version': '1', message: text, event: { original: text }, tags: ['_x'] }),
  'Fluent Bit': (text) => json({ date: 1_795_335_331.5, log: text, stream: 'stdout' }),
  Vector: (text) => json({ message: text, host: 'h', source_type: 'kafka', timestamp: time, topic: 't', offset: 7 }),
  Cribl: (text) => json({ _raw: text, _time: 1_795_335_331, source: 's', cribl_pipe: 'main' }),
  'Splunk HEC': (text) => around({ ...hec, fields: {} }, 'event', text),
  'Splunk HEC with text': (text) => json({ ...hec, event: text }),
  'Kafka Connect': (text) => around(connect, 'payload', text),
  'Kafka Connect with text': (text) => json({ schema: { type: 'string', optional: false }, payload: text }),
  'Kafka Connect with bytes': (text) =>
    json({ schema: { type: 'bytes', optional: false }, payload: Buffer.from(text).toString('base64') }),
  'Kafka Connect around Pub/Sub': (text) =>
    around(connect, 'payload', json({ message: Buffer.from(text).toString('base64'), attribute: 'x' })),
  EventBridge: (text) => around(bridge, 'detail', text),
  'an event hook of Okta': (text) => around(hook, 'data', `{"events":[${text}]}`),
  'an event hook with dotted names': (text) => around(hook, 'data.events', `[${text}]`),
  'CloudEvents in the value': (text) => around({ specversion: '1.0', id: '1', source: '/x', type: 'y' }, 'data', text),
  'Pub/Sub': (text) => pushed(Buffer.from(text)),
  'a pulled message of Pub/Sub': (text) => json({ data: Buffer.from(text).toString('base64'), messageId: '1' }),
  'Pub/Sub with gzip': (text) => pushed(gzipSync(text)),
  'Pub/Sub around an event hub': (text) => pushed(Buffer.from(`{"records":[${text}]}`)),
  'three levels of wrappers': (text) => around({}, 'payload', json({ message: `{"records":[${text}]}` })),
};

/** Members that shippers add next to those of the record: the same row, while raw data retains them. */
export const enrichments: Readonly<Record<string, (text: string) => Readonly<Record<string, unknown>>>> = {
  '@timestamp': () => ({ '@timestamp': time }),
  '@version': () => ({ '@version': '1' }),
  'members of Beats': () => beats,
  'members of Logstash': (text) => ({ ...beats, '@version': '1', message: text, event: { original: text } }),
  'event.ingested': () => ({ '@timestamp': time, event: { ingested: time } }),
  'event.ingested as one key': () => ({ '@timestamp': time, 'event.ingested': time }),
  EventReceivedTime: () => ({ EventReceivedTime: '2026-11-20 08:15:31' }),
  '_time and _raw': (text) => ({ _time: 1_795_335_331, _raw: text }),
  'p_ members': () => ({ p_event_time: time, p_log_type: 'x', p_row_id: '1' }),
  fluentbit: () => ({ fluentbit: { pod: 'x' }, host: 'h' }),
  'the schema of Kafka Connect': () => connect,
};
