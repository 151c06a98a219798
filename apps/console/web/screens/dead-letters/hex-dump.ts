const perLine = 8;

/** A hex dump: offset, values, and printable characters. */
export function formatHexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; from += perLine) {
    const some = [...bytes.subarray(from, from + perLine)];
    const values = some.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = some.map((byte) => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${from.toString(16).padStart(4, '0')}  ${values.padEnd(perLine * 3 - 1)}  ${characters}`);
  }
  return lines.join('\n');
}
