import type { Operation, OperationName, OperationNamed } from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store/api-key';
import { identifyCaller } from '../auth/caller.ts';
import type { Dependencies } from '../dependencies.ts';
import { invoke, toPlainBody } from '../invoke.ts';
import { readRecordId, readToolParameters } from './tool-arguments.ts';

export interface ToolCall {
  readonly key: KeyRecord;
  /** X-Tenant-Id. */
  readonly selector: string | null;
  readonly arguments: unknown;
  readonly disconnectSignal: () => AbortSignal;
  /** Called when the tenant is selected, even if the call fails afterwards. */
  readonly onTenantSelected: (tenantId: string) => void;
}

/** Invokes the operation as its route does. Throws the same errors. */
export async function callTool(service: Dependencies, operation: Operation, call: ToolCall): Promise<Buffer | string> {
  const caller = identifyCaller(operation, call.key, call.selector, call.disconnectSignal);
  if (caller.tenant) call.onTenantSelected(caller.tenant.id);
  const given = () => readToolParameters(operation, call.arguments);
  const named = operation as OperationNamed<OperationName>;
  const { body } = await invoke(service.handlers, named, caller, given, readRecordId(operation, call.arguments));
  return toPlainBody(body);
}
