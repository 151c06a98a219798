import { z } from 'zod';
import {
  discriminatedIdReference,
  idReference,
  type ReferencedResource,
  resourceByPrincipalType,
} from '../record/id-reference.ts';
import { nullableInstant, nullableText } from '../record/scalar.ts';

/** What the schema of a field does not express; used when parsing producers' records. */
export interface FieldAnnotations {
  /** Values the field may have in a producer's record. Response schemas document it as open: values may be added. */
  readonly values?: readonly string[];
  /** A time, shown with three fraction digits and Z. */
  readonly isInstant?: true;
  /** Longer than other texts may be. */
  readonly isLong?: true;
}

export const fieldAnnotations = z.registry<FieldAnnotations>();

export const text = nullableText;

/** A text of tens of kilobytes. */
export function longText(description: string) {
  return nullableText(description).register(fieldAnnotations, { isLong: true });
}

/** One value of an open vocabulary. */
export function openEnum(values: readonly string[], description: string) {
  return nullableText(`${description} ${values.join(', ')}.`).register(fieldAnnotations, { values });
}

export function nullableBoolean(description: string) {
  return z.boolean().nullable().meta({ description });
}

/** A non-negative integer; null, never 0, where it was not counted. */
export function count(description: string) {
  return z.int().min(0).nullable().meta({ description });
}

export function timestamp(description: string) {
  return nullableInstant(description).register(fieldAnnotations, { isInstant: true });
}

export function texts(description: string) {
  return z.array(z.string()).max(nestedListMax).nullable().meta({ description });
}

/** Objects with these members, at most `nestedListMax`. */
export function objects<Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  return z.array(z.object(shape)).max(nestedListMax).nullable().meta({ description });
}

export function object<Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  return z.object(shape).nullable().meta({ description });
}

/** Most entries of a list inside a record; separate counts give the total. */
export const nestedListMax = 100;

/** A reference to a record that no operation returns by id. */
export const reference = { id: text('Id.'), name: text('Name.') };

/** A reference to a record that an operation returns by id. */
export function referenceTo(names: ReferencedResource) {
  return { id: idReference(names, 'Id.'), name: text('Name.') };
}

/** A reference to a principal of the kind that the member `type` names. */
export const principalReference = {
  id: discriminatedIdReference('type', resourceByPrincipalType, 'Id.'),
  name: text('Name.'),
};
