import { connectPublisher, type Publisher, replayMessage } from '@tenantscope/publish';
import {
  beginLetterReplay,
  discardLetter,
  type Ledger,
  type LetterAct,
  type LetterOutcome,
  type LetterResult,
  type LetterToHandle,
  mayHandleLetters,
  readLetter,
  readLetterStandings,
  undoLetterReplay,
} from '@tenantscope/store';
import type { LetterReading, Refused } from './letter-reading.ts';
import type { KnownTenants } from './tenants.ts';

export interface LetterActParts {
  /** Where organizations and their tenants are known. */
  control: Ledger;
  /** Letters lie where the lane of their topic is written. */
  ledgers: readonly Ledger[];
  brokers: string;
  tenants: KnownTenants;
  read: LetterReading;
  maxRecordBytes: number;
}

/** Does one thing to one letter and says what became of it. Throws KafkaSilent where a broker is needed and none answers. */
export interface LetterHand extends AsyncDisposable {
  handle(act: LetterAct, letterId: string, organizationId: string): Promise<LetterResult>;
  /** What became of letters that were sent, as far as it shows by now. */
  lookAfter(results: readonly LetterResult[]): Promise<LetterResult[]>;
}

const projectStage = 'project';

export function letterHand({ control, ledgers, brokers, tenants, read, maxRecordBytes }: LetterActParts): LetterHand {
  let publisher: Publisher | null = null;

  const find = async (id: string): Promise<{ ledger: Ledger; letter: LetterToHandle } | null> => {
    for (const ledger of ledgers) {
      const letter = await readLetter(ledger, id);
      if (letter !== null) return { ledger, letter };
    }
    return null;
  };

  const dryRun = async (letter: LetterToHandle): Promise<LetterResult> => {
    // Made known a moment ago, perhaps.
    if (letter.tenantId !== null) await tenants.lookUp([letter.tenantId], tenants.facts());
    const refused = read(letter, { tenants: tenants.facts(), nowMs: Date.now(), maxRecordBytes });
    if (refused !== null) return told(letter, 'refused', refused);
    const detail =
      letter.stage === projectStage ? 'it is read well; whether the database takes it shows a replay' : null;
    return { ...told(letter, 'passes'), detail };
  };

  const replay = async (ledger: Ledger, letter: LetterToHandle): Promise<LetterResult> => {
    publisher ??= await connectPublisher({ brokers, clientId: 'tenantscope-replay' });
    if (!(await beginLetterReplay(ledger, letter.id))) return told(letter, 'exhausted');
    try {
      await publisher.send(letter.topic, [replayMessage(letter)]);
    } catch (error) {
      await undoLetterReplay(ledger, letter.id);
      const never = refusalForGood(error);
      if (never === null) throw error;
      return { ...told(letter, 'refused'), detail: `Kafka does not take it: ${never}` };
    }
    return told(letter, 'sent');
  };

  return {
    async handle(act, letterId, organizationId) {
      const found = await find(letterId);
      // The console asks for letters of the organization only; whatever else stands in a request is nobody's.
      if (found === null || !(await mayHandleLetters(control, organizationId, found.letter.tenantId)))
        return { letterId, result: 'missing', reason: null, detail: null };
      const { ledger, letter } = found;
      if (letter.state === 'settled' || letter.state === 'discarded') return told(letter, letter.state);
      if (act === 'dryRun') return dryRun(letter);
      if (act === 'replay') return replay(ledger, letter);
      return told(letter, (await discardLetter(ledger, letter.id)) ? 'discarded' : 'settled');
    },
    async lookAfter(results) {
      const sent = results.filter(({ result }) => result === 'sent').map(({ letterId }) => letterId);
      if (sent.length === 0) return [...results];
      const standings = await Promise.all(ledgers.map((ledger) => readLetterStandings(ledger, sent)));
      const now = new Map(standings.flat().map((one) => [one.id, one]));
      return results.map((result): LetterResult => {
        const standing = result.result === 'sent' ? now.get(result.letterId) : undefined;
        if (standing?.state === 'settled') return { ...result, result: 'projected' };
        if (standing?.state === 'discarded') return { ...result, result: 'discarded' };
        if (standing?.state !== 'parked') return result;
        return { ...result, result: 'refused', reason: standing.reason, detail: standing.detail };
      });
    },
    async [Symbol.asyncDispose]() {
      await publisher?.[Symbol.asyncDispose]();
    },
  };
}

const told = ({ id }: LetterToHandle, result: LetterOutcome, refused: Refused | null = null): LetterResult => ({
  letterId: id,
  result,
  reason: refused?.reason ?? null,
  detail: refused?.detail ?? null,
});

/** What no repetition mends: a message that is too large for the topic, a topic that is gone. */
function refusalForGood(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { type, retriable } = cause as { type?: string; retriable?: boolean };
    if (type !== undefined && retriable === false) return type;
  }
  return null;
}
