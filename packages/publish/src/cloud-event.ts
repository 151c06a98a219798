/** One record to be sent, untouched, with what its reader must know beside it. */
export interface Event {
  /** Names this delivery, unique within its source: 1–300 printable ASCII characters. */
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly tenantId: string;
  readonly timeMs: number;
  readonly value: Buffer;
  /** For records that change: names the record. Left out, it is the tenant, so that one writer at a time holds one tenant. */
  readonly key?: string;
}

/** A message as the producer takes it. */
export interface Message {
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | string | (Buffer | string)[]>>;
}

/**
 * CloudEvents 1.0, Kafka binding, binary content mode: the value is the record byte for byte, the attributes are headers.
 */
export function cloudEvent(event: Event): Message {
  return {
    key: event.key ?? event.tenantId,
    value: event.value,
    headers: {
      ce_specversion: '1.0',
      ce_id: event.id,
      ce_source: event.source,
      ce_type: event.type,
      ce_tenantid: event.tenantId,
      ce_time: new Date(event.timeMs).toISOString(),
      'content-type': 'application/json',
    },
  };
}
