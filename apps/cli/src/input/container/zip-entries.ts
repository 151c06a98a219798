import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { CommandError } from '../../command-error.ts';
import { escapeControlCharacters } from '../../output/escape-control-characters.ts';
import { decompress } from './decompress.ts';

/** A file in a ZIP archive. */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly headerOffset: number;
}

const endBytes = 22;
const commentMax = 65_535;
const directoryMax = 64 * 1_048_576;
const encrypted = 0x1;

/**
 * Lists the files of an archive in their order, without folders. Nothing is written to disk, so a name cannot reach any path; one that tries to is a sign of a
 * hostile archive and is refused, as are encrypted entries and entries that share bytes, with which an archive expands a millionfold.
 */
export async function listZipEntries(archive: string, handle: FileHandle, fileBytes: number): Promise<ZipEntry[]> {
  const refuse = (reason: string): never => {
    throw new CommandError(`${archive} is not imported: ${reason}`);
  };
  const { offset, bytes, count } = await readDirectoryPosition(handle, fileBytes, refuse);
  if (bytes > directoryMax || offset + bytes > fileBytes) refuse('its directory is damaged');
  const directory = await readExactly(handle, offset, bytes);
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== 0x02014b50) refuse('its directory is damaged');
    const nameLength = directory.readUInt16LE(at + 28);
    const extraLength = directory.readUInt16LE(at + 30);
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
    const shown = escapeControlCharacters(name, '');
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    if ((directory.readUInt16LE(at + 8) & encrypted) !== 0) refuse(`${shown} is encrypted`);
    if (/^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)|\0/.test(name)) refuse(`${shown} is no name of a file in it`);
    const entry = { name: shown, method: directory.readUInt16LE(at + 10), ...readSizes(directory, at, extra) };
    if (entry.method !== 0 && entry.method !== 8) refuse(`${shown} has the compression method ${entry.method}`);
    if (!name.endsWith('/')) entries.push(entry);
    at += 46 + nameLength + extraLength + directory.readUInt16LE(at + 32);
  }
  const byOffset = entries.toSorted((a, b) => a.headerOffset - b.headerOffset);
  byOffset.forEach((entry, index) => {
    const end = byOffset[index + 1]?.headerOffset ?? offset;
    if (entry.headerOffset + 30 + entry.compressedBytes > end) refuse(`${entry.name} shares bytes with another entry`);
  });
  return entries;
}

/** The content of an entry; throws CommandError where it differs from its size or checksum. */
export async function* readZipEntry(archive: string, handle: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer> {
  const name = `${archive}: ${entry.name}`;
  const header = await readExactly(handle, entry.headerOffset, 30);
  if (header.readUInt32LE(0) !== 0x04034b50) throw new CommandError(`${name} is damaged`);
  const dataAt = entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const raw = readRange(handle, dataAt, entry.compressedBytes);
  let crc = 0;
  let bytes = 0;
  for await (const chunk of entry.method === 0 ? raw : decompress(name, 'deflate', raw)) {
    bytes += chunk.length;
    if (bytes > entry.bytes) break;
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (bytes !== entry.bytes || crc !== entry.crc) throw new CommandError(`${name} is damaged: size or checksum differ`);
}

async function readDirectoryPosition(
  handle: FileHandle,
  fileBytes: number,
  refuse: (reason: string) => never,
): Promise<{ offset: number; bytes: number; count: number }> {
  const tailAt = Math.max(0, fileBytes - endBytes - commentMax);
  const tail = await readExactly(handle, tailAt, fileBytes - tailAt);
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1 || end + endBytes > tail.length) refuse('it is truncated or damaged');
  const found = {
    count: tail.readUInt16LE(end + 10),
    bytes: tail.readUInt32LE(end + 12),
    offset: tail.readUInt32LE(end + 16),
  };
  if (found.offset !== 0xffffffff && found.count !== 0xffff && found.bytes !== 0xffffffff) return found;
  const locator = end - 20;
  if (locator < 0 || tail.readUInt32LE(locator) !== 0x07064b50) refuse('its directory is damaged');
  const endAt = Number(tail.readBigUInt64LE(locator + 8));
  if (endAt + 56 > fileBytes) refuse('its directory is damaged');
  const end64 = await readExactly(handle, endAt, 56);
  return {
    count: Number(end64.readBigUInt64LE(32)),
    bytes: Number(end64.readBigUInt64LE(40)),
    offset: Number(end64.readBigUInt64LE(48)),
  };
}

/** Sizes of 4 GiB and more are in an extra field, in the order of those that need it. */
function readSizes(directory: Buffer, at: number, extra: Buffer) {
  const long = findExtra(extra);
  let longAt = 0;
  const read = (offset: number): number => {
    const value = directory.readUInt32LE(at + offset);
    if (value !== 0xffffffff || longAt + 8 > long.length) return value;
    longAt += 8;
    return Number(long.readBigUInt64LE(longAt - 8));
  };
  const crc = directory.readUInt32LE(at + 16);
  const bytes = read(24);
  const compressedBytes = read(20);
  return { crc, bytes, compressedBytes, headerOffset: read(42) };
}

function findExtra(extra: Buffer): Buffer {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1) return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  return Buffer.alloc(0);
}

async function readExactly(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new CommandError('the ZIP archive is truncated');
    filled += bytesRead;
  }
  return buffer;
}

async function* readRange(handle: FileHandle, from: number, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += 262_144) yield readExactly(handle, from + at, Math.min(262_144, length - at));
}
