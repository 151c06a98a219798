import { promisify } from 'node:util';
import { constants, gzip, zstdCompress } from 'node:zlib';
import { compressionMinBytes } from '../limits.ts';
import { negotiateEncoding } from './content-negotiation.ts';

const gzipAsync = promisify(gzip);
const zstdAsync = promisify(zstdCompress);

export interface EncodedBody {
  readonly body: Buffer | string;
  readonly encoding: 'zstd' | 'gzip' | null;
}

/** Level 1 for both: log pages already shrink to a tenth, and each further level costs more time than it saves bytes. */
export async function compress(body: Buffer | string, acceptEncoding: string | undefined): Promise<EncodedBody> {
  const coding = body.length < compressionMinBytes ? null : negotiateEncoding(acceptEncoding);
  if (coding === 'zstd') {
    const params = { [constants.ZSTD_c_compressionLevel]: 1 };
    return { encoding: coding, body: await zstdAsync(body, { params }) };
  }
  if (coding === 'gzip') return { encoding: coding, body: await gzipAsync(body, { level: 1 }) };
  return { encoding: coding, body };
}
