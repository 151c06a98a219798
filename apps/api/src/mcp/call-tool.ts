import type { ApiError, Operation, OperationName, OperationNamed } from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store';
import { selectTenant } from '../caller.ts';
import { invoke } from '../invoke.ts';
import type { Service } from '../service.ts';
import { idOfCall, parametersOfCall } from './arguments.ts';

/** The members of a tool's result: the answer of the operation as text, and once more as it stands. */
export function printToolResult(body: Buffer | string): string {
  const text = body.toString();
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`;
}

/** The error that the same request would have met, as a result: clients lose a session, or the words, over anything else. */
export function printToolError(error: ApiError, requestId: string): string {
  const text = JSON.stringify(error.body(requestId));
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true`;
}

export interface ToolCall {
  readonly key: KeyRecord;
  /** X-Tenant-Id. */
  readonly selector: string | null;
  readonly arguments: unknown;
  /** Told as soon as the tenant is selected, also when the call fails afterwards. */
  readonly selected: (tenantId: string) => void;
}

/** Runs the operation in process, as its route would. Throws what it throws. */
export async function callTool(service: Service, operation: Operation, call: ToolCall): Promise<Buffer | string> {
  const caller = selectTenant(operation, call.key, call.selector);
  if (caller.tenant) call.selected(caller.tenant.id);
  const given = () => parametersOfCall(operation, call.arguments);
  const named = operation as OperationNamed<OperationName>;
  return (await invoke(service.handlers, named, caller, given, idOfCall(operation, call.arguments))).body;
}
