import { encodeBytes, type OriginalDeadLetter } from '@tenantscope/store/admin';
import { escapeControlCharacters } from '../../../output/escape-control-characters.ts';
import { formatFields } from '../../../output/table.ts';

/** Formats a dead letter: its reason, its origin and its original message, with control characters escaped. */
export function formatDeadLetter(deadLetter: OriginalDeadLetter): string {
  const { key, value, headers, ...facts } = deadLetter;
  return [
    formatFields(Object.entries(facts)),
    '',
    `key      ${formatBytes(key)}`,
    ...headers.map(([name, bytes]) => `header   ${escapeControlCharacters(name, '')}: ${formatBytes(bytes)}`),
    value === null ? 'value    (null)' : `value    ${formatLength(value, facts.valueBytes)}`,
    value === null ? '' : formatBytes(value),
  ].join('\n');
}

function formatLength(value: Buffer, wholeBytes: number | null): string {
  const length = value.length.toLocaleString('en');
  if (wholeBytes === null) return `${length} bytes`;
  return `the first ${length} of ${wholeBytes.toLocaleString('en')} bytes; it cannot be replayed`;
}

function formatBytes(bytes: Buffer | null): string {
  const shown = encodeBytes(bytes);
  if (shown === null) return '(null)';
  return shown.encoding === 'utf8' ? escapeControlCharacters(shown.text, '\n\t') : `base64 ${shown.text}`;
}
