import { buffer } from 'node:stream/consumers';
import { type Fault, type PackVerdict, verifyPack } from '@tenantscope/proof';
import { CommandError } from '../../command-error.ts';
import type { CommandContext } from '../../context.ts';
import { openInputs } from '../../input/input-sources.ts';
import { readPublicKeys } from '../../input/public-keys.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields } from '../../output/table.ts';

export interface VerifyPackOptions {
  readonly keys?: string;
}

const signatureMessages = {
  valid: 'digests match; the signature is valid for one of the given keys',
  unchecked: 'digests match, signature not checked',
  absent: 'digests match, the pack is not signed',
} as const;

const uncheckedMessages = {
  valid: undefined,
  unchecked: 'signature not checked: pass the public keys with --keys',
  absent: 'the pack is not signed: its origin cannot be verified',
} as const;

/** Verifies a pack offline: reads only the file and the keys. Exit status 0 means that a signature was verified. */
export async function verifyPackFile(
  name: string,
  options: VerifyPackOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const keys = options.keys === undefined ? null : await readPublicKeys(options.keys);
  const [source] = await openInputs([name], context.input);
  if (source === undefined) throw new CommandError(`${name} cannot be read`);
  const verdict = await verifyPack(await buffer(source.content), keys);
  if (verdict.sound)
    return { document: verdict, text: formatValidPack(verdict), unchecked: uncheckedMessages[verdict.signature] };
  return { document: verdict, text: '', problems: verdict.faults.map(formatFault) };
}

function formatValidPack({ packId, packSha256, kid, signature }: Extract<PackVerdict, { sound: true }>): string {
  return formatFields([
    ['pack', packId],
    ['sha256', packSha256],
    ['key', kid],
    ['verdict', signatureMessages[signature]],
  ]);
}

function formatFault({ member, reason }: Fault): string {
  return member === '' ? `the file is not an unmodified pack: ${reason}` : `${member}: ${reason}`;
}
