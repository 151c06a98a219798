import { type Rejection, reject } from './rejection.ts';

/** The CloudEvents type of a raw format, for example `tenantscope.raw.okta-system-log.v1`. */
export function toEventType(format: string): string {
  return `${typeStem(format)}1`;
}

/** Creates the function that finds the format of an event type, whatever its case, among the formats of one topic. */
export function createEventTypeReader<Name extends string>(
  formats: readonly Name[],
): (type: string | null) => Name | Rejection {
  const formatsByType = new Map<string, Name>(
    formats.flatMap((format) => [toEventType(format), toEventType(format).toLowerCase()].map((type) => [type, format])),
  );
  const stems: ReadonlySet<string | undefined> = new Set(formats.map((format) => typeStem(format).toLowerCase()));
  return (type) => {
    if (type === null || type === '') return reject('SCHEMA_VIOLATION', 'attribute type is missing');
    const format = formatsByType.get(type) ?? formatsByType.get(type.toLowerCase());
    if (format !== undefined) return format;
    if (stems.has(/^(.*\.v)\d+$/.exec(type.toLowerCase())?.[1])) {
      return reject('UNSUPPORTED_VERSION', 'attribute type names an unsupported version of a format');
    }
    return reject('UNKNOWN_TYPE', 'attribute type is not a format of this topic');
  };
}

function typeStem(format: string): string {
  return `tenantscope.raw.${format.replaceAll('.', '-')}.v`;
}
