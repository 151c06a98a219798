import { encodeBytes, type OriginalDeadLetter } from '@tenantscope/store/admin';
import { formatCount } from '../../../output/count.ts';
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
  if (wholeBytes === null) return formatCount(value.length, 'byte');
  return `the first ${value.length.toLocaleString('en')} of ${wholeBytes.toLocaleString('en')} bytes; it cannot be replayed`;
}

function formatBytes(bytes: Buffer | null): string {
  const shown = encodeBytes(bytes);
  if (shown === null) return '(null)';
  return shown.encoding === 'utf8' ? escapeControlCharacters(shown.text, '\n\t') : `base64 ${shown.text}`;
}
