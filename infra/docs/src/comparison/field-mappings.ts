import { alertMappings } from './alert-mappings.ts';
import type { FieldMapping, FieldMappings } from './field-mapping.ts';
import { huntingMappings } from './hunting-mappings.ts';
import { noCounterparts } from './no-counterparts.ts';
import { rowMappings } from './row-mappings.ts';

/** Mappings of formats that start so; the first table that has the path counts. */
const tables: readonly (readonly [format: RegExp, mappings: FieldMappings])[] = [
  ...alertMappings,
  ...huntingMappings,
  ...rowMappings,
];

export function findMapping(format: string, path: string): FieldMapping | null {
  for (const [formats, mappings] of tables) {
    if (formats.test(format) && Object.hasOwn(mappings, path)) return mappings[path] ?? null;
  }
  return null;
}

/** Why nothing in ours corresponds to a path; null where no reason is known. */
export function findNoCounterpart(format: string, path: string): string | null {
  return noCounterparts.find((each) => each.format.test(format) && each.path.test(path))?.reason ?? null;
}
