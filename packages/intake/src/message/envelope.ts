import { type ParsedJson, readJson } from '../json/read-json.ts';
import { sliceMember } from '../json/slice.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';
import { isRejection, type Rejection, reject } from './rejection.ts';

/** A Kafka message as the client hands it over. A repeated header is an array. */
export interface Message {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: { readonly [name: string]: string | Buffer | (string | Buffer)[] | undefined };
}

/** A CloudEvents 1.0 event in either content mode, its payload not yet parsed. Attributes are unchanged, absent ones null. */
export interface Envelope {
  readonly specversion: string | null;
  readonly type: string | null;
  readonly tenantid: string | null;
  /** In place of `tenantid`: the member of each record that has the provider's id of its tenant. In binary mode only. */
  readonly tenantfrom: string | null;
  /** When the reported event happened. */
  readonly time: string | null;
  /** Reads the payload. Called after the envelope is validated, so that a flood of misaddressed events costs little. */
  readonly payload: (readText?: PayloadReader) => ParsedJson | Rejection;
}

/** Reads the bytes of a payload; `maxBytes` bounds them decompressed. */
export type PayloadReader = (bytes: Buffer, what: string, maxBytes: number) => ParsedJson | Rejection;

/**
 * Reads the CloudEvents envelope of a Kafka message: attributes from `ce_` headers in binary mode, from the value in
 * structured mode (content type `application/cloudevents+json`).
 */
export function openEnvelope(message: Message, maxValueBytes: number): Envelope | Rejection {
  const headers = readHeaders(message.headers);
  if (isRejection(headers)) return headers;
  if (parseMediaType(headers['content-type'])?.startsWith('application/cloudevents')) {
    return readStructuredEnvelope(headers['content-type'], message.value, maxValueBytes);
  }
  return {
    specversion: headers.ce_specversion,
    type: headers.ce_type,
    tenantid: headers.ce_tenantid,
    tenantfrom: headers.ce_tenantfrom,
    time: headers.ce_time,
    payload: (readText = readJson) => readPayload(headers['content-type'], message.value, maxValueBytes, readText),
  };
}

function readStructuredEnvelope(
  contentType: string | null,
  value: Buffer | null,
  maxValueBytes: number,
): Envelope | Rejection {
  if (parseMediaType(contentType) !== 'application/cloudevents+json') {
    return reject('SCHEMA_VIOLATION', 'header content-type: of the structured formats only JSON is read');
  }
  const parsed = readValue(value, maxValueBytes, readJson);
  if (isRejection(parsed)) return parsed;
  if (!isObject(parsed.value)) return reject('SCHEMA_VIOLATION', 'a structured event is a JSON object');
  const event = parsed.value;
  return {
    specversion: toAttribute(event.specversion),
    type: toAttribute(event.type),
    tenantid: toAttribute(event.tenantid),
    tenantfrom: null,
    time: toAttribute(event.time),
    payload: (readText = readJson) => readStructuredPayload(parsed, event, maxValueBytes, readText),
  };
}

function readStructuredPayload(
  parsed: ParsedJson,
  event: JsonObject,
  maxValueBytes: number,
  readText: PayloadReader,
): ParsedJson | Rejection {
  const contentType = toAttribute(event.datacontenttype);
  if (event.data_base64 !== undefined) {
    if (event.data !== undefined) return reject('SCHEMA_VIOLATION', 'members data and data_base64 exclude each other');
    const text = toAttribute(event.data_base64);
    if (text === null || !base64.test(text)) return reject('SCHEMA_VIOLATION', 'member data_base64 is no base64 text');
    return readPayload(contentType, Buffer.from(text, 'base64'), maxValueBytes, readText);
  }
  if (!isJsonType(contentType)) return reject('SCHEMA_VIOLATION', 'member datacontenttype is not JSON');
  if (event.data === undefined || event.data === null) return reject('EMPTY_PAYLOAD', 'the event has no data');
  const text = sliceMember(parsed.text, 'data') as Buffer;
  return { value: event.data, hasDuplicateNames: parsed.hasDuplicateNames, text };
}

function readPayload(
  contentType: string | null,
  value: Buffer | null,
  maxValueBytes: number,
  readText: PayloadReader,
): ParsedJson | Rejection {
  if (!isJsonType(contentType)) return reject('SCHEMA_VIOLATION', 'the content type is not JSON');
  return readValue(value, maxValueBytes, readText);
}

function readValue(value: Buffer | null, maxValueBytes: number, readText: PayloadReader): ParsedJson | Rejection {
  if (value === null || value.length === 0) return reject('EMPTY_PAYLOAD', 'the message has no value');
  if (value.length > maxValueBytes) return reject('TOO_LARGE', `the value has more than ${maxValueBytes} bytes`);
  if (value[0] === 0) {
    return reject('SCHEMA_REGISTRY_FRAMED', 'the first byte is 0: schema registry framing is not read');
  }
  return readText(value, 'the value', maxValueBytes);
}

type Attributes = Record<HeaderName, string | null>;
type HeaderName = 'content-type' | 'ce_specversion' | 'ce_type' | 'ce_tenantid' | 'ce_tenantfrom' | 'ce_time';

/** Messages of one batch share their headers as one object: what follows from it is read once, not for each of a thousand messages. */
function readHeaders(headers: Message['headers']): Attributes | Rejection {
  const cached = cachedHeaders.get(headers);
  if (cached !== undefined) return cached;
  const read = collectHeaders(headers);
  cachedHeaders.set(headers, read);
  return read;
}

const cachedHeaders = new WeakMap<Message['headers'], Attributes | Rejection>();

/** Names are compared case-insensitively. A name sent twice with different values is not trusted. */
function collectHeaders(headers: Message['headers']): Attributes | Rejection {
  const found: Attributes = {
    'content-type': null,
    ce_specversion: null,
    ce_type: null,
    ce_tenantid: null,
    ce_tenantfrom: null,
    ce_time: null,
  };
  for (const sent of Object.keys(headers)) {
    const name = sent.toLowerCase();
    if (!isNeeded(name)) continue;
    const values = headers[sent];
    for (const value of Array.isArray(values) ? values : [values]) {
      if (value === undefined || value === null) continue;
      const text = String(value);
      if (found[name] !== null && found[name] !== text) {
        return reject('SCHEMA_VIOLATION', `header ${name} is repeated with different values`);
      }
      found[name] = text;
    }
  }
  return found;
}

function isNeeded(name: string): name is HeaderName {
  return (
    name === 'ce_type' ||
    name === 'ce_tenantid' ||
    name === 'ce_specversion' ||
    name === 'content-type' ||
    name === 'ce_tenantfrom' ||
    name === 'ce_time'
  );
}

function toAttribute(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function parseMediaType(contentType: string | null): string | null {
  return contentType === null ? null : (contentType.split(';', 1)[0] as string).trim().toLowerCase();
}

function isJsonType(contentType: string | null): boolean {
  const mediaType = parseMediaType(contentType);
  return mediaType === null || mediaType === 'application/json' || jsonType.test(mediaType);
}

const jsonType = /^(?:text\/json|application\/(?:[\w.-]+\+)?json)$/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
