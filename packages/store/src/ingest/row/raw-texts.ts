import { entryHeadBytes, formatEntryHead, type RawEntry, type RawFrame } from '../../resource/raw-block.ts';

/**
 * The received texts of prepared rows, in the order of their lines. Plain typed arrays, so that a worker thread can hand them over without
 * a copy.
 */
export interface RawTexts {
  /** All texts, each behind the head of its entry in a block, so that neighbours are a block as they are; then the frames that some share. */
  bytes: Uint8Array;
  /** Where each entry begins, and the end of the last: count + 1 values. */
  starts: Uint32Array;
  /** The frame of each text; -1 where it has none. */
  frameIndexes: Int32Array;
  /** Of each frame: where it begins, where its second part begins, where it ends. */
  frames: Uint32Array;
}

type Source = Pick<RawEntry, 'text' | 'frame'>;

/** Packs the sources of lines; `ids` are those of the lines. */
export function packRawTexts(sources: readonly Source[], ids: readonly string[]): RawTexts {
  const numbers = new Map<RawFrame, number>();
  let size = sources.length * entryHeadBytes;
  for (const { text, frame } of sources) {
    size += text.length;
    if (frame === null || numbers.has(frame)) continue;
    numbers.set(frame, numbers.size);
    size += frame.before.length + frame.after.length;
  }
  const bytes = Buffer.allocUnsafeSlow(size);
  const starts = new Uint32Array(sources.length + 1);
  const frameIndexes = new Int32Array(sources.length);
  const frames = new Uint32Array(numbers.size * 3);
  let end = 0;
  const put = (part: Uint8Array): number => {
    bytes.set(part, end);
    end += part.length;
    return end;
  };
  sources.forEach(({ text, frame }, line) => {
    frameIndexes[line] = frame === null ? -1 : (numbers.get(frame) as number);
    end += bytes.write(formatEntryHead(ids[line] as string), end, 'latin1');
    starts[line + 1] = put(text);
  });
  for (const [{ before, after }, number] of numbers) frames.set([end, put(before), put(after)], number * 3);
  return { bytes, starts, frameIndexes, frames };
}

/** The text of a line, without the head of its entry. */
export const readRawText = ({ bytes, starts }: RawTexts, line: number): Uint8Array =>
  bytes.subarray((starts[line] as number) + entryHeadBytes, starts[line + 1]);

/** The frames of all texts, each one object. */
export function unpackFrames({ bytes, frames }: RawTexts): RawFrame[] {
  return Array.from({ length: frames.length / 3 }, (_, number) => {
    const [from, middle, to] = frames.subarray(number * 3, number * 3 + 3) as unknown as [number, number, number];
    return { before: bytes.subarray(from, middle), after: bytes.subarray(middle, to) };
  });
}
