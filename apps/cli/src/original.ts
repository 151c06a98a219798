import { isUtf8 } from 'node:buffer';
import type { OriginalDeadLetter } from '@tenantscope/store';
import { listing } from './table.ts';
import { visible } from './visible.ts';

/** Bytes for a JSON document, none of them lost. */
export interface ShownBytes {
  readonly encoding: 'utf8' | 'base64';
  readonly text: string;
  readonly bytes: number;
}

export function textOrBase64(bytes: Buffer | null): ShownBytes | null {
  if (bytes === null) return null;
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { encoding, text: bytes.toString(encoding), bytes: bytes.length };
}

/** A letter for a person to read: why it is here, where it came from, and what arrived, no character of it acting on the terminal. */
export function showOriginal(letter: OriginalDeadLetter): string {
  const { key, value, headers, ...facts } = letter;
  return [
    listing(Object.entries(facts)),
    '',
    `key      ${readable(key)}`,
    ...headers.map(([name, bytes]) => `header   ${visible(name, '')}: ${readable(bytes)}`),
    value === null ? 'value    none' : `value    ${value.length.toLocaleString('en')} bytes`,
    value === null ? '' : readable(value),
  ].join('\n');
}

function readable(bytes: Buffer | null): string {
  const shown = textOrBase64(bytes);
  if (shown === null) return 'none';
  return shown.encoding === 'utf8' ? visible(shown.text, '\n\t') : `base64 ${shown.text}`;
}
