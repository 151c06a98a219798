/** The progress of a command. */
export interface ProgressBar {
  advance(bytes: number, records: number): void;
  clear(): void;
}

const redrawMs = 100;
const barWidth = 30;

/** Shows a bar on a terminal, or a count if the total is unknown; shows nothing if the output is not a terminal. */
export function createProgressBar(
  terminal: NodeJS.WriteStream,
  totalBytes: number | null,
  label = 'records',
): ProgressBar {
  if (!terminal.isTTY) return { advance: () => {}, clear: () => {} };
  let bytes = 0;
  let records = 0;
  let renderedAtMs = 0;
  return {
    advance(moreBytes, moreRecords) {
      bytes += moreBytes;
      records += moreRecords;
      const nowMs = performance.now();
      if (nowMs - renderedAtMs < redrawMs) return;
      renderedAtMs = nowMs;
      const text = formatProgress(bytes, totalBytes, records, { label, columns: terminal.columns });
      terminal.write(`\r\x1b[K${text}`);
    },
    clear: () => void terminal.write('\r\x1b[K'),
  };
}

/**
 * `[█████·····]  50 %  12,000 records`; measured in bytes, since the number of records is unknown in advance. Without the bar where the terminal is too narrow:
 * a line that wraps is not overwritten by the next one.
 */
export function formatProgress(
  bytes: number,
  totalBytes: number | null,
  records: number,
  { label = 'records', columns = 80 }: { readonly label?: string; readonly columns?: number } = {},
): string {
  const count = `${records.toLocaleString('en')} ${label}`;
  if (totalBytes === null || totalBytes === 0) return count;
  const share = Math.min(1, bytes / totalBytes);
  const filled = Math.floor(share * barWidth);
  const percent = String(Math.floor(share * 100)).padStart(3);
  const bar = `[${'█'.repeat(filled)}${'·'.repeat(barWidth - filled)}] ${percent} %  ${count}`;
  return bar.length < columns ? bar : `${percent} %  ${count}`;
}
