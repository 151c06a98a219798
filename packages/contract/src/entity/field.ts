import { z } from 'zod';
import { byPrincipal, idOf, idToldBy, type Named } from '../id-of.ts';
import { nullableInstant, nullableText } from '../scalar.ts';

/** What a field's schema alone does not say; readers of producers' records ask for it. */
export interface FieldNotes {
  /** Values the field may have in a producer's record. Answers document it as open: values may be added. */
  readonly values?: readonly string[];
  /** A time, shown with three fraction digits and Z. */
  readonly isInstant?: true;
  /** Longer than other texts may be. */
  readonly isLong?: true;
}

export const fieldNotes = z.registry<FieldNotes>();

export const text = nullableText;

/** A text of tens of kilobytes. */
export function longText(description: string) {
  return nullableText(description).register(fieldNotes, { isLong: true });
}

/** One of a vocabulary. */
export function word(values: readonly string[], description: string) {
  return nullableText(`${description} ${values.join(', ')}.`).register(fieldNotes, { values });
}

export function yesNo(description: string) {
  return z.boolean().nullable().meta({ description });
}

/** Whole and not negative; null where nobody counted, never 0. */
export function count(description: string) {
  return z.int().min(0).nullable().meta({ description });
}

export function moment(description: string) {
  return nullableInstant(description).register(fieldNotes, { isInstant: true });
}

export function texts(description: string) {
  return z.array(z.string()).max(listMax).nullable().meta({ description });
}

/** Objects with these members, at most `listMax`. */
export function objects<Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  return z.array(z.object(shape)).max(listMax).nullable().meta({ description });
}

export function object<Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  return z.object(shape).nullable().meta({ description });
}

/** Entries of a list inside a record; counts beside it tell how many there are. */
export const listMax = 100;

/** What most lists inside records hold: references. */
export const reference = { id: text('Id.'), name: text('Name.') };

/** References to what can be asked for itself. */
export function referenceTo(names: Named) {
  return { id: idOf(names, 'Id.'), name: text('Name.') };
}

/** References to what the member `type` says. */
export const referenceByType = { id: idToldBy('type', byPrincipal, 'Id.'), name: text('Name.') };
