import type { Operation, OperationName, OperationNamed } from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store';
import { selectTenant } from '../caller.ts';
import { invoke } from '../invoke.ts';
import type { Service } from '../service.ts';
import { idOfCall, parametersOfCall } from './arguments.ts';

export interface ToolCall {
  readonly key: KeyRecord;
  /** X-Tenant-Id. */
  readonly selector: string | null;
  readonly arguments: unknown;
  readonly hangUp: () => AbortSignal;
  /** Told as soon as the tenant is selected, also when the call fails afterwards. */
  readonly selected: (tenantId: string) => void;
}

/** Runs the operation in process, as its route would. Throws what it throws. */
export async function callTool(service: Service, operation: Operation, call: ToolCall): Promise<Buffer | string> {
  const caller = selectTenant(operation, call.key, call.selector, call.hangUp);
  if (caller.tenant) call.selected(caller.tenant.id);
  const given = () => parametersOfCall(operation, call.arguments);
  const named = operation as OperationNamed<OperationName>;
  return (await invoke(service.handlers, named, caller, given, idOfCall(operation, call.arguments))).body;
}
