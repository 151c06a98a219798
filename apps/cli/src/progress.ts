/** How far an import has come. */
export interface Progress {
  advance(bytes: number, records: number): void;
  clear(): void;
}

const redrawMs = 100;
const barWidth = 30;

/** A bar on a terminal, or the count alone where the end is not known; nothing where nobody looks. */
export function drawProgress(terminal: NodeJS.WriteStream, totalBytes: number | null): Progress {
  if (!terminal.isTTY) return { advance: () => {}, clear: () => {} };
  let bytes = 0;
  let records = 0;
  let drawnAtMs = 0;
  return {
    advance(moreBytes, moreRecords) {
      bytes += moreBytes;
      records += moreRecords;
      const nowMs = performance.now();
      if (nowMs - drawnAtMs < redrawMs) return;
      drawnAtMs = nowMs;
      terminal.write(`\r\x1b[K${progressLine(bytes, totalBytes, records)}`);
    },
    clear: () => void terminal.write('\r\x1b[K'),
  };
}

/** `[█████·····]  50 %  12,000 records`; counted in bytes, which are what is known beforehand. */
export function progressLine(bytes: number, totalBytes: number | null, records: number): string {
  const count = `${records.toLocaleString('en')} records`;
  if (totalBytes === null || totalBytes === 0) return count;
  const share = Math.min(1, bytes / totalBytes);
  const filled = Math.floor(share * barWidth);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `[${'█'.repeat(filled)}${'·'.repeat(barWidth - filled)}] ${percent} %  ${count}`;
}
