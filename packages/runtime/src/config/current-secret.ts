import { readFileSync } from 'node:fs';

/** The present content of a secret's file, so that a rotated secret needs no restart; the value read at start where there is no file, or it cannot be read now. */
export function readCurrentSecret(valueAtStart: string, file: string | undefined): string {
  if (!file) return valueAtStart;
  try {
    return readFileSync(file, 'utf8').trim() || valueAtStart;
  } catch {
    return valueAtStart;
  }
}
