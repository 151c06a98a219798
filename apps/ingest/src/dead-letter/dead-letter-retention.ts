import { type Log, runPeriodically } from '@tenantscope/runtime';
import { deleteExpiredDeadLetters, type Ledger } from '@tenantscope/store/ingest';

const pauseMs = 60_000;

export interface DeadLetterRetentionOptions {
  readonly ledgers: readonly Ledger[];
  readonly retentionDays: number;
  readonly log: Log;
}

/** Deletes decided dead letters past their retention, once a minute, a thousand messages at a time. Pending ones are never deleted. */
export function startDeadLetterRetention({ ledgers, retentionDays, log }: DeadLetterRetentionOptions): AsyncDisposable {
  const deleteExpired = async () => {
    for (const ledger of ledgers) {
      const messages = await deleteExpiredDeadLetters(ledger, retentionDays);
      if (messages > 0)
        log.info({ schema: ledger.schema, messages, retentionDays }, 'expired dead letters deleted; pending ones stay');
    }
  };
  return runPeriodically(pauseMs, () =>
    deleteExpired().catch((error: unknown) =>
      log.warn({ err: error }, 'deleting expired dead letters failed; retrying in 60 s'),
    ),
  );
}
