import { deadLetterReasons } from '@tenantscope/intake';
import { connectPublisher, replayMessage } from '@tenantscope/publish';
import type { Admin } from '@tenantscope/store';
import { withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { guid, oneOf, wholeNumber } from './arguments.ts';
import { Refusal } from './failure.ts';
import { kafkaFailure } from './kafka-failure.ts';
import { showOriginal, textOrBase64 } from './original.ts';
import { kafkaSettings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import { table } from './table.ts';

export interface DeadLetterFilter {
  readonly limit: string;
  readonly tenant?: string;
  readonly reason?: string;
  readonly state?: string;
}

const states = ['parked', 'replayed', 'settled', 'discarded'] as const;

export async function listDeadLetters(filter: DeadLetterFilter, around: Surroundings): Promise<Answer> {
  const wanted = {
    limit: wholeNumber(filter.limit, '--limit', { from: 1, to: 1_000 }),
    ...(filter.reason === undefined ? {} : { reason: oneOf(filter.reason, deadLetterReasons, '--reason') }),
    ...(filter.state === undefined ? {} : { state: oneOf(filter.state, states, '--state') }),
    // Not looked up: letters are kept of tenants that do not exist.
    ...(filter.tenant === undefined ? {} : { tenantId: guid(filter.tenant, '--tenant') }),
  };
  const found = await withAdmin(around.environment, (admin) => admin.deadLetters.list(wanted));
  const text = table(
    found,
    [
      ['id', (letter) => letter.id],
      ['set aside', (letter) => letter.setAsideAt],
      ['state', (letter) => letter.state],
      ['reason', (letter) => letter.reason],
      ['tenant', (letter) => letter.tenantId],
      ['message', (letter) => `${letter.topic}/${letter.partition}@${letter.offset}#${letter.element}`],
      ['detail', (letter) => letter.detail],
    ],
    'There is no such dead letter.',
  );
  return { document: { data: found }, text };
}

/** One letter with what arrived, byte for byte: as text where it is UTF-8, else in base64. */
export async function showDeadLetter(id: string, around: Surroundings): Promise<Answer> {
  const letterId = guid(id, 'the id of a dead letter');
  const letter = await withAdmin(around.environment, (admin) => admin.deadLetters.show(letterId));
  if (letter === null) throw unknownLetter(letterId);
  const document = {
    ...letter,
    key: textOrBase64(letter.key),
    value: textOrBase64(letter.value),
    headers: letter.headers.map(([name, value]) => ({ name, value: textOrBase64(value) })),
  };
  return { document, text: showOriginal(letter) };
}

/**
 * Publishes originals to where they came from: same bytes, key and headers, and the letter's id, so that only its element is taken
 * and a new failure comes back as the same letter. One that fails does not keep the others from being replayed.
 */
export async function replayDeadLetters(ids: string[], around: Surroundings): Promise<Answer> {
  const letterIds = ids.map((id) => guid(id, 'the id of a dead letter'));
  const { brokers } = kafkaSettings(around.environment);
  await using publisher = await connectPublisher({ brokers, clientId: 'tenantscope-replay' });
  const replay = async (admin: Admin, id: string): Promise<Handled> => {
    const letter = await admin.deadLetters.beginReplay(id);
    if (letter === null) throw unknownLetter(id);
    await publisher.send(letter.topic, [replayMessage(letter)]).catch((error: unknown) => {
      throw new Refusal(`${id} is not replayed: ${kafkaFailure(error, { brokers, topic: letter.topic })}`);
    });
    return { id, state: letter.state, topic: letter.topic, replays: letter.replays };
  };
  // Awaited here: the publisher is there until the last letter is sent.
  return await handleEach(letterIds, 'replayed', replay, around);
}

export async function discardDeadLetters(ids: string[], around: Surroundings): Promise<Answer> {
  const letterIds = ids.map((id) => guid(id, 'the id of a dead letter'));
  const discard = async (admin: Admin, id: string): Promise<Handled> => {
    if (await admin.deadLetters.discard(id)) return { id, state: 'discarded' };
    const letter = await admin.deadLetters.show(id);
    throw letter === null ? unknownLetter(id) : new Refusal(`the dead letter ${id} is ${letter.state}`);
  };
  return handleEach(letterIds, 'discarded', discard, around);
}

interface Handled {
  readonly id: string;
  readonly state: string;
  readonly topic?: string;
  readonly replays?: number;
}

/** Does the same to every letter; what cannot be done to one is told, and the others are done. */
async function handleEach(
  ids: readonly string[],
  done: string,
  handle: (admin: Admin, id: string) => Promise<Handled>,
  around: Surroundings,
): Promise<Answer> {
  const handled: Handled[] = [];
  const problems: string[] = [];
  await withAdmin(around.environment, async (admin) => {
    for (const id of new Set(ids)) {
      try {
        handled.push(await handle(admin, id));
      } catch (error) {
        if (!(error instanceof Error) || !['Refusal', 'DirectoryError'].includes(error.name)) throw error;
        problems.push(error.message);
      }
    }
  });
  return { document: { data: handled }, text: handled.map(({ id }) => `${id} is ${done}.`).join('\n'), problems };
}

function unknownLetter(id: string): Refusal {
  return new Refusal(`there is no dead letter ${id}; «tenantscope dead-letters list» names them`);
}
