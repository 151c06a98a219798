import { toolListTtlMs } from '../limits.ts';
import { type Era, metaNamespace } from './era.ts';
import { implementation, type Printed } from './exchange.ts';
import type { RpcFailure } from './failure.ts';
import type { RequestId } from './message.ts';

/** A whole answer of members that are printed already. */
export function frame(id: RequestId, members: Printed, stamps: readonly string[]): string | Buffer {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`;
  const tail = `${stamps.map((stamp) => `,${stamp}`).join('')}}}`;
  if (typeof members !== 'string') return Buffer.concat([Buffer.from(head), ...members, Buffer.from(tail)]);
  return members === '' ? head + tail.slice(tail.startsWith(',') ? 1 : 0) : head + members + tail;
}

export function printFailure(id: RequestId | null, { code, message, data }: RpcFailure): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

const keepable = ['server/discover', 'tools/list', 'prompts/list'];

/** What the newer revision has on every result, and on what may be kept; and the tenant that was read. */
export function stampsOf(era: Era, method: string, tenantId: string | null): string[] {
  const perRequest = era === 'perRequest';
  const meta = {
    ...(tenantId === null ? {} : { 'tenantscope/tenantId': tenantId }),
    ...(perRequest ? { [`${metaNamespace}serverInfo`]: implementation } : {}),
  };
  return [
    ...(perRequest ? ['"resultType":"complete"'] : []),
    ...(perRequest && keepable.includes(method) ? [`"ttlMs":${toolListTtlMs},"cacheScope":"private"`] : []),
    ...(Object.keys(meta).length > 0 ? [`"_meta":${JSON.stringify(meta)}`] : []),
  ];
}
