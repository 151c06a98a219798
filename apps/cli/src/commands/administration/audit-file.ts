import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { adminEvent, type ChainPosition, findChainFault } from '@tenantscope/store/console';
import { z } from 'zod';
import { CommandError } from '../../command-error.ts';
import type { CommandContext } from '../../context.ts';
import { openInputs } from '../../input/input-sources.ts';
import type { CommandResult } from '../../output/command-result.ts';

const line = adminEvent.extend({ chain: z.guid() });

const faultMessages = {
  missing: 'is missing',
  altered: 'was altered, moved or inserted',
  notLinked: 'does not link to the event before it',
} as const;

/** Verifies the hash chain of an exported file offline. */
export async function verifyAuditFile(name: string, context: CommandContext): Promise<CommandResult> {
  const [source] = await openInputs([name], context.input);
  if (source === undefined) throw new CommandError(`${name} cannot be read`);
  let chain: string | null = null;
  let first: number | null = null;
  let last: ChainPosition = { number: 0, sha256: null };
  let place = 0;
  for await (const text of createInterface({
    input: Readable.from(source.content),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    place += 1;
    if (text === '') continue;
    const event = readLine(text, name, place);
    if (first === null) {
      // An export may start at any event; the events before it are represented by a digest only.
      first = event.number;
      last = { number: first - 1, sha256: event.previousSha256 };
    }
    chain ??= event.chain;
    const number = last.number + 1;
    const fault = event.chain === chain ? findChainFault(chain, last, event) : 'notLinked';
    if (fault !== null)
      return {
        document: { organizationId: chain, isWhole: false, from: first, through: last.number, brokenAt: number, fault },
        text: '',
        problems: [`event ${number} ${faultMessages[fault]}; events up to ${last.number} are intact`],
      };
    last = event;
  }
  if (first === null || chain === null) throw new CommandError(`${name} contains no events`);
  const { number: through, sha256 } = last;
  return {
    document: { organizationId: chain, isWhole: true, from: first, through, brokenAt: null, fault: null, sha256 },
    text: [
      `Events ${first} to ${through} of ${chain} are intact.`,
      ...(first === 1 ? [] : [`Events before ${first} are not in the file.`]),
      `Digest of the last event: ${sha256}. If it differs from the latest digest in the service, the file is truncated.`,
    ].join('\n'),
  };
}

function readLine(text: string, name: string, place: number): z.infer<typeof line> {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    throw new CommandError(`line ${place} of ${name} is not an audit event`);
  }
}
