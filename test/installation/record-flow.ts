import type { Message } from '@tenantscope/publish';
import { connectPublisher, type Publisher } from '@tenantscope/publish';
import { activityMessage, activityRecord } from './activity-records.ts';
import type { DatabaseInspector } from './database-inspector.ts';

/** A continuous flow of records, a few of them invalid, with the expected results. */
export interface RecordFlow {
  /** Resolves when everything is acknowledged. */
  stop(): Promise<void>;
  /** The records that must become rows, by the id of their provider. */
  readonly good: ReadonlySet<string>;
  /** The texts of the good records, by the same id. */
  readonly texts: ReadonlyMap<string, string>;
  /** Values that must become dead letters. */
  readonly bad: ReadonlySet<string>;
}

const perSend = 25;
const pauseMs = 20;
const everyBad = 20;
const retryPauseMs = 200;

/** Each send is repeated until the broker has acknowledged it, as a collector would. */
export function startRecordFlow({
  brokers,
  topic,
  tenantIds,
}: {
  brokers: string;
  topic: string;
  tenantIds: readonly string[];
}): RecordFlow {
  const good = new Set<string>();
  const texts = new Map<string, string>();
  const bad = new Set<string>();
  let stopped = false;
  let publisher: Publisher | null = null;

  const send = async (messages: Message[]) => {
    for (;;) {
      try {
        publisher ??= await connectPublisher({ brokers, clientId: 'flow' });
        return await publisher.send(topic, messages);
      } catch {
        await Promise.resolve(publisher?.[Symbol.asyncDispose]()).catch(() => {});
        publisher = null;
        await pause(retryPauseMs);
      }
    }
  };
  const run = async () => {
    for (let number = 0; !stopped; ) {
      const messages = Array.from({ length: perSend }, () => {
        const record = activityRecord(number++);
        const tenantId = tenantIds[number % tenantIds.length] ?? '';
        if (number % everyBad !== 0) {
          const text = JSON.stringify(record);
          good.add(String(record.Id));
          texts.set(String(record.Id), text);
          return activityMessage(tenantId, text);
        }
        const value = JSON.stringify({ ...record, Operation: null });
        bad.add(value);
        return activityMessage(tenantId, value);
      });
      await send(messages);
      await pause(pauseMs);
    }
    await publisher?.[Symbol.asyncDispose]();
  };
  const sending = run();
  return {
    good,
    texts,
    bad,
    async stop() {
      stopped = true;
      await sending;
    },
  };
}

/** Compares the sent records with the stored ones, one to one. */
export async function compareFlow(
  flow: RecordFlow,
  inspector: DatabaseInspector,
  tenantIds: readonly string[],
): Promise<{ lost: number; twice: number; strange: number; deadLettersLost: number; deadLettersTwice: number }> {
  const { rows } = await inspector.client.query<{ event: string }>(
    'select external_event_id as event from models.audit_log where tenant_id = any($1)',
    [tenantIds],
  );
  const deadLetters = (await inspector.deadLetters()).filter(({ tenantId }) => tenantIds.includes(tenantId ?? ''));
  const events = new Set(rows.map(({ event }) => event));
  const values = new Set(deadLetters.map(({ value }) => value?.toString() ?? ''));
  return {
    lost: [...flow.good].filter((event) => !events.has(event)).length,
    twice: rows.length - events.size,
    strange: [...events].filter((event) => !flow.good.has(event)).length,
    deadLettersLost: [...flow.bad].filter((value) => !values.has(value)).length,
    deadLettersTwice: deadLetters.length - values.size,
  };
}

export const nothingLost = { lost: 0, twice: 0, strange: 0, deadLettersLost: 0, deadLettersTwice: 0 };

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
