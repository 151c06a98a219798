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

/**
 * Level 1 for both: log pages already shrink to a tenth, and each further level costs more time than it saves bytes.
 *
 * A page is compressed in one piece. By default, each 16 kB of output return to the event loop and wait for a thread again, behind the bodies of
 * others: on saturated processors this was half of the time of a page.
 */
export async function compress(body: Buffer | string, acceptEncoding: string | undefined): Promise<EncodedBody> {
  const coding = body.length < compressionMinBytes ? null : negotiateEncoding(acceptEncoding);
  const chunkSize = outputPieceBytes(body);
  if (coding === 'zstd') {
    const params = { [constants.ZSTD_c_compressionLevel]: 1 };
    return { encoding: coding, body: await zstdAsync(body, { params, chunkSize }) };
  }
  if (coding === 'gzip') return { encoding: coding, body: await gzipAsync(body, { level: 1, chunkSize }) };
  return { encoding: coding, body };
}

/** Output bytes after which the bodies of others have their turn: more than a page needs, less than a pack of many megabytes. */
function outputPieceBytes({ length }: Buffer | string): number {
  return Math.min(Math.max(length >> 2, constants.Z_DEFAULT_CHUNK), 1_048_576);
}
