import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { adminEvent, type ChainPlace, faultOf } from '@tenantscope/store';
import { z } from 'zod';
import type { Answer } from './answer.ts';
import { Refusal } from './failure.ts';
import { openSources } from './sources.ts';
import type { Surroundings } from './surroundings.ts';

const line = adminEvent.extend({ chain: z.guid() });

const faults = {
  missing: 'is missing',
  altered: 'was altered, moved or put in',
  notLinked: 'does not follow from the one before it',
} as const;

/** Follows the chain of an exported file, which holds all that is needed: no database is asked. */
export async function verifyAuditFile(name: string, around: Surroundings): Promise<Answer> {
  const [source] = await openSources([name], around.input);
  if (source === undefined) throw new Refusal(`${name} cannot be read`);
  let chain: string | null = null;
  let first: number | null = null;
  let last: ChainPlace = { number: 0, sha256: null };
  let place = 0;
  for await (const text of createInterface({
    input: Readable.from(source.chunks),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    place += 1;
    if (text === '') continue;
    const event = readLine(text, name, place);
    if (first === null) {
      // A period begins where it begins: what was before is known by its digest alone.
      first = event.number;
      last = { number: first - 1, sha256: event.previousSha256 };
    }
    chain ??= event.chain;
    const number = last.number + 1;
    const fault = event.chain === chain ? faultOf(chain, last, event) : 'notLinked';
    if (fault !== null)
      return {
        document: { organizationId: chain, isWhole: false, from: first, through: last.number, brokenAt: number, fault },
        text: '',
        problems: [`event ${number} ${faults[fault]}; up to ${last.number} all fit`],
      };
    last = event;
  }
  if (first === null || chain === null) throw new Refusal(`${name} holds no event`);
  const { number: through, sha256 } = last;
  return {
    document: { organizationId: chain, isWhole: true, from: first, through, brokenAt: null, fault: null, sha256 },
    text: [
      `Events ${first} to ${through} of ${chain} fit.`,
      ...(first === 1 ? [] : [`What came before ${first} is not in the file.`]),
      `The last one is ${sha256}: the same as the service shows, or somebody cut the end off.`,
    ].join('\n'),
  };
}

function readLine(text: string, name: string, place: number): z.infer<typeof line> {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    throw new Refusal(`line ${place} of ${name} is no event of an audit export`);
  }
}
