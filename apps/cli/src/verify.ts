import { buffer } from 'node:stream/consumers';
import { type Fault, type PackVerdict, verifyPack } from '@tenantscope/proof';
import type { Answer } from './answer.ts';
import { Refusal } from './failure.ts';
import { readPublicKeys } from './public-keys.ts';
import { openSources } from './sources.ts';
import type { Surroundings } from './surroundings.ts';
import { listing } from './table.ts';

export interface VerifyPackOptions {
  readonly keys?: string;
}

const signatureWords = {
  valid: 'the signature is by one of the given keys',
  unchecked: 'digests match, signature not checked: give the keys with --keys',
  absent: 'digests match; the pack is not signed, so that nothing says who made it',
} as const;

/** Works offline: nothing but the file and the keys is read. */
export async function verifyFile(name: string, options: VerifyPackOptions, around: Surroundings): Promise<Answer> {
  const keys = options.keys === undefined ? null : await readPublicKeys(options.keys);
  const [source] = await openSources([name], around.input);
  if (source === undefined) throw new Refusal(`${name} cannot be read`);
  const verdict = await verifyPack(await buffer(source.chunks), keys);
  if (verdict.sound) return { document: verdict, text: soundWords(verdict) };
  return { document: verdict, text: '', problems: verdict.faults.map(faultWords) };
}

function soundWords({ packId, packSha256, kid, signature }: Extract<PackVerdict, { sound: true }>): string {
  return listing([
    ['pack', packId],
    ['sha256', packSha256],
    ['key', kid],
    ['verdict', signatureWords[signature]],
  ]);
}

function faultWords({ member, reason }: Fault): string {
  return member === '' ? `the file is not a pack as it was sent: ${reason}` : `${member}: ${reason}`;
}
