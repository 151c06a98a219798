import { type PublishedFormat, publishedFormats } from '../published-format.ts';

/** What a source binding says of the values of a topic. */
export interface BoundValues {
  readonly format: string;
  /** The tenant of all records; null where `tenantPath` names the member that says whose a record is. */
  readonly tenantId: string | null;
  readonly tenantPath: string | null;
}

/** How a message of a bound topic is read: as one of this topic with these headers, and without a key. */
export interface BoundEnvelope {
  readonly topic: PublishedFormat['topic'];
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Formats of providers' records. The product's own records name their type, tenant and key themselves. */
export const bindableFormats: readonly string[] = [...publishedFormats.values()]
  .filter(({ eventType }) => eventType !== null)
  .map(({ name }) => name);

/**
 * The envelope of the messages of a bound topic; null where this version has no such format.
 *
 * @param producedAtMs the time of the message: an object of a directory without a modification time has that of its message
 */
export function createBoundEnvelope(
  { format, tenantId, tenantPath }: BoundValues,
  producedAtMs: number | null,
): BoundEnvelope | null {
  const found = publishedFormats.get(format);
  if (found?.eventType == null) return null;
  const { topic, eventType } = found;
  const headers: [string, string][] = [
    ['content-type', 'application/json'],
    ['ce_specversion', '1.0'],
    ['ce_type', eventType],
  ];
  if (tenantId !== null) headers.push(['ce_tenantid', tenantId]);
  if (tenantPath !== null) headers.push(['ce_tenantfrom', tenantPath]);
  if (hasMessageTime(topic) && producedAtMs !== null) headers.push(['ce_time', new Date(producedAtMs).toISOString()]);
  return { topic, headers };
}

/** Whether the envelope differs from message to message. */
export const hasMessageTime = (topic: PublishedFormat['topic']): boolean => topic === 'rawEntity';
