import { importHeader } from './import-header.ts';

/** A record to send, unchanged, with its CloudEvents attributes. */
export interface Event {
  /** Id of this delivery, unique within its source: 1–300 printable ASCII characters. */
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly tenantId: string;
  readonly timeMs: number;
  readonly value: Buffer;
  /** Partition key: the id of the record, for records that change. Default: the tenant, so that the records of a tenant share a partition. Null: any partition. */
  readonly key?: string | null;
  /** The import that publishes it and its number in it, as `formatImportHeader` writes them. */
  readonly imported?: string;
}

/** A Kafka message to produce. */
export interface Message {
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | string | (Buffer | string)[]>>;
}

/**
 * Creates a message in the binary content mode of the CloudEvents 1.0 Kafka binding: the value is the unchanged record, the attributes are headers.
 */
export function createCloudEventMessage(event: Event): Message {
  return {
    key: event.key === undefined ? event.tenantId : event.key,
    value: event.value,
    headers: {
      ce_specversion: '1.0',
      ce_id: event.id,
      ce_source: event.source,
      ce_type: event.type,
      ce_tenantid: event.tenantId,
      ce_time: new Date(event.timeMs).toISOString(),
      'content-type': 'application/json',
      ...(event.imported === undefined ? {} : { [importHeader]: event.imported }),
    },
  };
}
