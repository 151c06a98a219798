import { z } from 'zod';

/** A time in a response: exactly `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export function instant(description: string) {
  return z.string().length(24).meta({ description, format: 'date-time' });
}

export function nullableText(description: string) {
  return z.string().nullable().meta({ description });
}

export function nullableInstant(description: string) {
  return instant(description).nullable().meta({ description });
}
