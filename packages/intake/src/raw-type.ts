import { type Rejection, reject } from './rejection.ts';

/** The CloudEvents type of a raw format, for example `tenantscope.raw.okta-system-log.v1`. */
export function typeOfFormat(format: string): string {
  return `${typeStem(format)}1`;
}

/** Finds the format that a type names among those of one topic. */
export function readerOfTypes<Name extends string>(
  formats: readonly Name[],
): (type: string | null) => Name | Rejection {
  const formatsByType = new Map<string, Name>(formats.map((format) => [typeOfFormat(format), format]));
  const stems: ReadonlySet<string | undefined> = new Set(formats.map(typeStem));
  return (type) => {
    if (type === null || type === '') return reject('SCHEMA_VIOLATION', 'attribute type is missing');
    const known = formatsByType.get(type);
    if (known !== undefined) return known;
    if (stems.has(/^(.*\.v)\d+$/.exec(type)?.[1])) {
      return reject('UNSUPPORTED_VERSION', 'attribute type names a version of a known format that is not read');
    }
    return reject('UNKNOWN_TYPE', 'attribute type names no format of this topic');
  };
}

function typeStem(format: string): string {
  return `tenantscope.raw.${format.replaceAll('.', '-')}.v`;
}
