import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { decryptWith, generateRecipientKey, InvalidKeyError } from '@tenantscope/proof';
import { z } from 'zod';
import { CommandError } from '../../command-error.ts';
import type { CommandContext } from '../../context.ts';
import { openInputs } from '../../input/input-sources.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatTable } from '../../output/table.ts';

/** Writes a new private key, readable by its owner only, and shows the public one. An existing file is never replaced. */
export async function createRecipientKey(file: string): Promise<CommandResult> {
  const { privateJwk, publicKey } = await generateRecipientKey();
  await writeFile(file, `${privateJwk}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be written: ${error.code}`);
  });
  return { document: { recipientKey: publicKey }, text: publicKey };
}

const pack = z.object({
  data: z.object({
    sections: z.array(z.object({ key: z.string(), rows: z.array(z.record(z.string(), z.unknown())) })),
  }),
});
const keyContent = z.object({
  pseudonyms: z.array(z.object({ pseudonym: z.string(), ids: z.array(z.string()), names: z.array(z.string()) })),
});

/** Decrypts the key section of a saved pack. It does not verify the pack: `verify` does. */
export async function openPseudonyms(
  name: string,
  options: { readonly key: string },
  context: CommandContext,
): Promise<CommandResult> {
  const privateJwk = await readFile(options.key, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${options.key} cannot be read: ${error.code}`);
  });
  const [source] = await openInputs([name], context.input);
  if (source === undefined) throw new CommandError(`${name} cannot be read`);
  const parsed = pack.safeParse(parseJson((await buffer(source.content)).toString()));
  if (!parsed.success) throw new CommandError(`${name} is not an evidence pack`);
  const jwe = parsed.data.data.sections.find(({ key }) => key === 'pseudonym_key')?.rows[0]?.jwe;
  if (typeof jwe !== 'string')
    throw new CommandError(`${name} has no key to pseudonyms: request it with pseudonymise=true and recipientKey`);
  const content = keyContent.safeParse(parseJson(await decrypt(privateJwk, jwe, options.key)));
  if (!content.success) throw new CommandError(`${name}: the key section has another content`);
  const { pseudonyms } = content.data;
  const text = formatTable(
    pseudonyms,
    [
      ['pseudonym', ({ pseudonym }) => pseudonym],
      ['names', ({ names }) => names.join('; ')],
      ['ids', ({ ids }) => ids.join('; ')],
    ],
    'the pack names no person',
  );
  return { document: pseudonyms, text };
}

async function decrypt(privateJwk: string, jwe: string, file: string): Promise<string> {
  try {
    return await decryptWith(privateJwk, jwe);
  } catch (error) {
    if (error instanceof InvalidKeyError) throw new CommandError(`${file}: ${error.message}`);
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
