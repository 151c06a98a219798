import { listLogs } from '@tenantscope/contract';
import type { Caller } from './caller.ts';
import type { Answer, Handlers } from './invoke.ts';
import { answerList, type ListSources } from './list.ts';
import { logSource } from './log-source.ts';

export function createHandlers(sources: ListSources): Handlers {
  return {
    ping: async (caller) => one(pingOf(caller)),
    list_tenants: async (caller) => everything(caller.tenants ?? []),
    list_logs: (caller, input) => answerList(sources, listLogs, logSource, caller, input),
  };
}

function pingOf(caller: Caller) {
  return {
    tenantId: caller.tenant?.id ?? null,
    keyId: caller.keyId,
    name: caller.name,
    scopes: caller.scopeWords,
    organizationWide: caller.organizationWide,
  };
}

const one = (record: unknown): Answer => ({ body: JSON.stringify({ data: record }) });

const pageMin = 1000;

/** The list envelope with everything on one page. */
function everything(rows: readonly unknown[]): Answer {
  const pagination = { nextCursor: null, hasMore: false, limit: Math.max(pageMin, rows.length) };
  return { body: JSON.stringify({ data: rows, pagination }) };
}
