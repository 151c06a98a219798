import { promisify } from 'node:util';
import { constants, gzip, zstdCompress } from 'node:zlib';
import { codingFor } from './accept.ts';
import { compressFromBytes } from './limits.ts';

const gzipAsync = promisify(gzip);
const zstdAsync = promisify(zstdCompress);

export interface Coded {
  readonly body: Buffer | string;
  readonly coding: 'zstd' | 'gzip' | null;
}

/** Level 1 of either: log pages shrink to a tenth already, and each further level costs more time than bytes. */
export async function compress(body: Buffer | string, acceptEncoding: string | undefined): Promise<Coded> {
  const coding = body.length < compressFromBytes ? null : codingFor(acceptEncoding);
  if (coding === 'zstd') {
    const params = { [constants.ZSTD_c_compressionLevel]: 1 };
    return { coding, body: await zstdAsync(body, { params }) };
  }
  if (coding === 'gzip') return { coding, body: await gzipAsync(body, { level: 1 }) };
  return { coding, body };
}
