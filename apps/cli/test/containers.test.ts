import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decompress } from '../src/input/container/decompress.ts';
import { readParts } from '../src/input/input-parts.ts';
import { openInputs } from '../src/input/input-sources.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-containers-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Member {
  readonly name: string;
  readonly content: Buffer;
  readonly method?: number;
  readonly flags?: number;
  readonly claimedBytes?: number;
  readonly crc?: number;
  readonly offset?: number;
}

/** A ZIP archive, also a lying one. */
function zip(members: readonly Member[], comment = ''): Buffer {
  const parts: Buffer[] = [];
  const directoryParts: Buffer[] = [];
  let at = 0;
  for (const {
    name,
    content,
    method = 8,
    flags = 0,
    claimedBytes = content.length,
    crc = crc32(content),
    offset,
  } of members) {
    const data = method === 8 ? deflateRawSync(content) : content;
    const bytes = Buffer.from(name);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(bytes.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc, 16);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt32LE(claimedBytes, 24);
    entry.writeUInt16LE(bytes.length, 28);
    entry.writeUInt32LE(offset ?? at, 42);
    parts.push(header, bytes, data);
    directoryParts.push(entry, bytes);
    at += header.length + bytes.length + data.length;
  }
  const central = Buffer.concat(directoryParts);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, central, end, Buffer.from(comment)]);
}

/** The decompressed parts of a file, by name without its path. */
async function readFileParts(content: Buffer): Promise<Record<string, string>> {
  const path = join(directory, randomBytes(8).toString('hex'));
  await writeFile(path, content);
  const [source] = await openInputs([path], Readable.from([]));
  const parts: Record<string, string> = {};
  try {
    for await (const { name, stream } of readParts(source as NonNullable<typeof source>))
      parts[name.slice(path.length)] = Buffer.concat(await Array.fromAsync(stream.chunks)).toString('utf8');
  } finally {
    await source?.handle?.close().catch(() => {});
  }
  return parts;
}

const text = Array.from({ length: 20_000 }, (_, number) => `{"Id":"${number}"}`).join('\n');
const bytes = Buffer.from(text);

test('plain, gzip and zstd files and their members are read whole', async () => {
  const half = Buffer.from(text.slice(0, 70_000));
  const rest = Buffer.from(text.slice(70_000));
  for (const content of [
    bytes,
    gzipSync(bytes),
    zstdCompressSync(bytes),
    Buffer.concat([gzipSync(half), gzipSync(rest)]),
  ])
    expect(await readFileParts(content)).toEqual({ '': text });
});

test('the files of a ZIP archive are parts, also stored, compressed twice, with a comment and with folders', async () => {
  const archive = zip(
    [
      { name: 'logs/', content: Buffer.alloc(0), method: 0 },
      { name: 'logs/a.ndjson', content: bytes },
      { name: 'b.json', content: Buffer.from('[]'), method: 0 },
      { name: 'c\u001b[2J.gz', content: gzipSync('{"c":1}') },
    ],
    'a comment PK\u0005',
  );
  expect(await readFileParts(archive)).toEqual({
    ': logs/a.ndjson': text,
    ': b.json': '[]',
    ': c\\u{1b}[2J.gz': '{"c":1}',
  });
});

const small = { name: 'a', content: Buffer.from('{"a":1}') };
test.each<[string, Buffer, RegExp]>([
  ['a path outside', zip([{ ...small, name: '../../etc/passwd' }]), /is no name of a file/],
  ['an absolute path', zip([{ ...small, name: '/etc/passwd' }]), /is no name of a file/],
  ['a path of Windows', zip([{ ...small, name: 'C:\\x' }]), /is no name of a file/],
  ['an encrypted entry', zip([{ ...small, flags: 1 }]), /is encrypted/],
  ['an unknown method', zip([{ ...small, method: 99 }]), /compression method 99/],
  ['entries that share bytes', zip([small, { ...small, name: 'b', offset: 0 }]), /shares bytes/],
  ['a wrong checksum', zip([{ ...small, crc: 1 }]), /size or checksum differ/],
  ['more bytes than claimed', zip([{ ...small, claimedBytes: 3 }]), /size or checksum differ/],
  ['an archive in an archive', zip([{ name: 'in.zip', content: zip([small]) }]), /archive in an archive/],
  ['a truncated archive', zip([small]).subarray(0, -30), /truncated or damaged/],
  [
    'a directory beyond the file',
    zip([small]).fill(0xff, zip([small]).length - 10, zip([small]).length - 6),
    /damaged/,
  ],
  ['a truncated gzip', gzipSync(bytes).subarray(0, 5_000), /is damaged or truncated: unexpected end of file/],
  ['a gzip with a wrong byte', gzipSync(bytes).fill(0xff, 3_000, 3_040), /is damaged or truncated/],
  [
    'a zstd file of several frames',
    Buffer.concat([zstdCompressSync(bytes), zstdCompressSync(bytes)]),
    /has several zstd frames/,
  ],
  [
    'a gzip file with other data behind it',
    Buffer.concat([gzipSync(bytes), Buffer.from('x'.repeat(100))]),
    /incorrect header check/,
  ],
  ['a truncated zstd', zstdCompressSync(bytes).subarray(0, 2_000), /is damaged or truncated/],
])('%s is refused with a reason', async (_, content, message) => {
  await expect(readFileParts(content)).rejects.toThrow(message);
});

test('damaged archives end with an error of the command, whichever byte is damaged', {
  tags: 'exhaustive',
  timeout: 30_000,
}, async () => {
  const archive = zip([small, { name: 'b', content: bytes }]);
  for (let at = 0; at < archive.length; at += Math.ceil(archive.length / 150)) {
    const damaged = Buffer.from(archive);
    damaged[at] = (damaged[at] as number) ^ 0xff;
    await readFileParts(damaged).catch((error: Error) => expect(error).toMatchObject({ name: 'CommandError' }));
  }
});

test('a stream that expands too much is refused after a bounded number of bytes', { tags: 'exhaustive' }, async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  let read = 0;
  const reading = async () => {
    for await (const chunk of decompress('bomb', 'gzip', Readable.from([bomb]), 1_000_000)) read += chunk.length;
  };
  await expect(reading()).rejects.toThrow(/bomb expands more than 300 times/);
  expect(read).toBeLessThan(8_000_000);
});

test('a ZIP archive of standard input is refused', async () => {
  const [source] = await openInputs(['-'], Readable.from([zip([small])]));
  await expect(readParts(source as NonNullable<typeof source>).next()).rejects.toThrow(/from a file only/);
});
