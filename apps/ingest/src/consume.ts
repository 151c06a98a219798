import { type ConsumeParts, openSession, type Session } from './session.ts';

export interface Consumption extends AsyncDisposable {
  /** Null: every lane runs. Else why not. */
  trouble(): string | null;
}

/** Fetches end twice a second when nothing comes. */
const quietMs = 15_000;

/**
 * Reads topics for as long as the process lives: joins the group, reads where the lanes stand, and lets no batch pass that does not begin
 * there. A broker that is away, or a client that gives up or stops moving, means a new client in the same process.
 */
export function consume(parts: ConsumeParts): Consumption {
  const { log, observed } = parts;
  let stopped = false;
  let session: Session | null = null;
  const stopping = Promise.withResolvers<void>();

  const run = async () => {
    for (let attempt = 0; !stopped; attempt++) {
      observed.moved();
      try {
        session = await openSession(parts);
        attempt = 0;
        const reason = await Promise.race([session.ended, stopping.promise]);
        if (reason) log.warn({ err: reason }, 'the Kafka client ended; a new one takes its place');
      } catch (error) {
        if (attempt % 12 === 0) log.warn({ err: error }, 'Kafka cannot be read; trying again until it can');
      }
      await session?.[Symbol.asyncDispose]();
      session = null;
      if (!stopped) await Promise.race([sleep(Math.min(5_000, 250 * 2 ** attempt)), stopping.promise]);
    }
  };
  const running = run().catch(parts.crashed);

  return {
    trouble() {
      if (!session) return 'Kafka is not being read';
      if (observed.stillMs() > quietMs) return `nothing moved for ${Math.round(observed.stillMs() / 1_000)} s`;
      return session.trouble();
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      stopping.resolve();
      await running;
    },
  };
}

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
