import { createBoundEnvelope, hasMessageTime } from '@tenantscope/intake';
import type { SourceBinding } from '@tenantscope/store/ingest';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { encodeHeaders } from '../kafka/record-headers.ts';

/**
 * Gives records of a bound topic the envelope of its binding in place of their own headers, which may claim to be an import's, a replay's or another
 * tenant's. Almost all records of a binding share one block of headers.
 */
export function createRecordBinder(binding: SourceBinding): (record: KafkaRecord) => KafkaRecord {
  const encode = (producedAtMs: number | null) =>
    encodeHeaders(createBoundEnvelope(binding, producedAtMs)?.headers ?? []);
  const shared = encode(null);
  const topic = createBoundEnvelope(binding, null)?.topic;
  const isTimed = topic !== undefined && hasMessageTime(topic);
  return (record) => ({
    offset: record.offset,
    producedAtMs: record.producedAtMs,
    key: null,
    value: record.value,
    headers: isTimed ? encode(record.producedAtMs) : shared,
    bound: { bindingId: binding.id, key: record.key, headers: record.headers },
  });
}
