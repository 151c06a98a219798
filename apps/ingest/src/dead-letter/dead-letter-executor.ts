import { addressOriginal, findOriginalBinding } from '@tenantscope/intake';
import { connectPublisher, createReplayMessage, type Publisher } from '@tenantscope/publish';
import type { KafkaConnection } from '@tenantscope/runtime';
import { readTenantCell } from '@tenantscope/store/connection';
import {
  beginDeadLetterReplay,
  canManageDeadLetters,
  type DeadLetterAction,
  type DeadLetterOutcome,
  type DeadLetterRequest,
  type DeadLetterResult,
  type DeadLetterWithMessage,
  discardDeadLetter,
  type Ledger,
  readDeadLetter,
  readDeadLetterStatuses,
  readSourceBindings,
  settleForwardedDeadLetter,
  undoDeadLetterReplay,
} from '@tenantscope/store/ingest';
import type { TenantCache } from '../tenant/tenant-cache.ts';
import type { DeadLetterReader, Rejection } from './dead-letter-reader.ts';

export interface DeadLetterExecutorOptions {
  /** The database of organizations and tenants. */
  control: Ledger;
  /** A dead letter is stored in the ledger of its topic's lane. */
  ledgers: readonly Ledger[];
  kafka: KafkaConnection;
  /** Of this process. */
  cell: string;
  /** Of the product's topics: dead letters of bound topics are replayed there. */
  prefix: string;
  /** Of the topics of the cell default. */
  defaultPrefix: string;
  tenants: TenantCache;
  read: DeadLetterReader;
  maxRecordBytes: number;
}

export type ExecutedRequest = Pick<DeadLetterRequest, 'organizationId' | 'retriedFrom'>;

/** Executes one action on one dead letter and returns its result. Throws KafkaUnavailable when a broker is needed and none responds. */
export interface DeadLetterExecutor extends AsyncDisposable {
  execute(action: DeadLetterAction, deadLetterId: string, request: ExecutedRequest): Promise<DeadLetterResult>;
  /** Updates the results of sent dead letters by their state now. */
  refreshResults(results: readonly DeadLetterResult[]): Promise<DeadLetterResult[]>;
}

const projectStage = 'project';

export function createDeadLetterExecutor(options: DeadLetterExecutorOptions): DeadLetterExecutor {
  const { control, ledgers, kafka, cell, prefix, defaultPrefix, tenants, read, maxRecordBytes } = options;
  let publisher: Publisher | null = null;

  const find = async (id: string): Promise<{ ledger: Ledger; deadLetter: DeadLetterWithMessage } | null> => {
    for (const ledger of ledgers) {
      const deadLetter = await readDeadLetter(ledger, id);
      if (deadLetter !== null) return { ledger, deadLetter };
    }
    return null;
  };

  const address = async (stored: DeadLetterWithMessage) => {
    if (stored.bindingId === null) return { deadLetter: stored, boundTenantId: null };
    const bindings = await readSourceBindings(control, cell);
    const boundTenantId = findOriginalBinding(stored, bindings)?.tenantId ?? null;
    return { deadLetter: addressOriginal(stored, bindings, prefix), boundTenantId };
  };

  const dryRun = async (deadLetter: DeadLetterWithMessage): Promise<DeadLetterResult> => {
    // The tenant may have been created since the last refresh.
    if (deadLetter.tenantId !== null) await tenants.reload([deadLetter.tenantId], tenants.current());
    else await tenants.reloadAll(tenants.current());
    const rejection = read(deadLetter, { tenants: tenants.current(), nowMs: Date.now(), maxRecordBytes });
    if (rejection?.reason === 'OTHER_CELL')
      return { ...createResult(deadLetter, 'passes'), detail: 'A replay sends the record to the cell of its tenant.' };
    if (rejection !== null) return createResult(deadLetter, 'refused', rejection);
    const detail =
      deadLetter.stage === projectStage
        ? 'The record can be read. Only a replay shows whether the database accepts it.'
        : null;
    return { ...createResult(deadLetter, 'passes'), detail };
  };

  /** Null: the tenant is in this cell, or unknown. */
  const findForwardTopic = async ({ tenantId, topic }: DeadLetterWithMessage): Promise<string | null> => {
    const found = tenantId === null ? null : await readTenantCell(control.pool, tenantId);
    if (found === null || found.cell === cell || !topic.startsWith(`${prefix}.`)) return null;
    return (found.topicPrefix ?? defaultPrefix) + topic.slice(prefix.length);
  };

  const replay = async (ledger: Ledger, deadLetter: DeadLetterWithMessage, retriedFrom: string | null) => {
    publisher ??= await connectPublisher({ ...kafka, clientId: 'tenantscope-replay' });
    // Between the count and the message nothing may fail that does not revert the count.
    const forwarded = await findForwardTopic(deadLetter);
    if (!(await beginDeadLetterReplay(ledger, deadLetter.id, retriedFrom)))
      return createResult(deadLetter, 'exhausted');
    try {
      await publisher.send(forwarded ?? deadLetter.topic, [createReplayMessage(deadLetter)]);
    } catch (error) {
      await undoDeadLetterReplay(ledger, deadLetter.id);
      const reason = permanentFailureReason(error);
      if (reason === null) throw error;
      return { ...createResult(deadLetter, 'refused'), detail: `Kafka rejected the message: ${reason}` };
    }
    if (forwarded === null) return createResult(deadLetter, 'sent');
    await settleForwardedDeadLetter(ledger, deadLetter.id);
    return { ...createResult(deadLetter, 'settled'), detail: `The record was sent to ${forwarded}.` };
  };

  return {
    async execute(action, deadLetterId, { organizationId, retriedFrom }) {
      const found = await find(deadLetterId);
      // The console requests dead letters of the organization only; any other id in a request is reported as missing.
      if (found === null || !(await canManageDeadLetters(control, organizationId, found.deadLetter.tenantId)))
        return { deadLetterId, result: 'missing', reason: null, detail: null };
      const { ledger } = found;
      const { deadLetter, boundTenantId } = await address(found.deadLetter);
      // The topic may be bound to a tenant of another organization now.
      if (boundTenantId !== null && !(await canManageDeadLetters(control, organizationId, boundTenantId)))
        return { deadLetterId, result: 'missing', reason: null, detail: null };
      if (deadLetter.state === 'settled' || deadLetter.state === 'discarded')
        return createResult(deadLetter, deadLetter.state);
      if (action !== 'discard' && deadLetter.truncatedFromBytes !== null)
        return { ...createResult(deadLetter, 'refused'), detail: describeTruncation(deadLetter.truncatedFromBytes) };
      if (action === 'dryRun') return dryRun(deadLetter);
      if (action === 'replay') return replay(ledger, deadLetter, retriedFrom);
      return createResult(deadLetter, (await discardDeadLetter(ledger, deadLetter.id)) ? 'discarded' : 'settled');
    },
    async refreshResults(results) {
      const sent = results.filter(({ result }) => result === 'sent').map(({ deadLetterId }) => deadLetterId);
      if (sent.length === 0) return [...results];
      const statuses = await Promise.all(ledgers.map((ledger) => readDeadLetterStatuses(ledger, sent)));
      const statusById = new Map(statuses.flat().map((status) => [status.id, status]));
      return results.map((result): DeadLetterResult => {
        const status = result.result === 'sent' ? statusById.get(result.deadLetterId) : undefined;
        if (status?.state === 'settled') return { ...result, result: 'projected' };
        if (status?.state === 'discarded') return { ...result, result: 'discarded' };
        if (status?.state !== 'pending') return result;
        return { ...result, result: 'refused', reason: status.reason, detail: status.detail };
      });
    },
    async [Symbol.asyncDispose]() {
      await publisher?.[Symbol.asyncDispose]();
    },
  };
}

const describeTruncation = (bytes: number): string =>
  `Only the beginning of the ${bytes} bytes is stored. Send the record again from its source.`;

const createResult = (
  { id }: DeadLetterWithMessage,
  result: DeadLetterOutcome,
  rejection: Rejection | null = null,
): DeadLetterResult => ({
  deadLetterId: id,
  result,
  reason: rejection?.reason ?? null,
  detail: rejection?.detail ?? null,
});

/** Failures that no repetition resolves: the message is too large for the topic, or the topic was deleted. */
function permanentFailureReason(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { type, retriable } = cause as { type?: string; retriable?: boolean };
    if (type !== undefined && retriable === false) return type;
  }
  return null;
}
