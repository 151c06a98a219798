import { buildOpenApi, type List, type Operation, operations, type Parameter } from '@tenantscope/contract';
import { type ClientRecord, listRecords, type Schema } from './schema-types.ts';

export interface ClientOperation {
  /** As in MCP: `list_logs`. */
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  /** The record of a row, or of the document. */
  readonly record: string;
  readonly returns: 'page' | 'rows' | 'record';
  readonly hasId: boolean;
  readonly parameters: readonly (readonly [name: string, parameter: Parameter])[];
  /** Of a list on the write clock: how it is followed. */
  readonly follows: { readonly sort: string; readonly from: string; readonly to: string } | null;
}

const { schemas } = buildOpenApi(operations, 'https://tenantscope.example/api/v1').components as {
  readonly schemas: Readonly<Record<string, Schema>>;
};

export const clientRecords: readonly ClientRecord[] = listRecords(schemas);

export const clientOperations: readonly ClientOperation[] = (operations as readonly Operation[]).map((operation) => ({
  name: operation.name,
  path: operation.path,
  summary: operation.summary,
  record: String(operation.record.meta()?.id),
  returns:
    operation.kind === 'list'
      ? 'page'
      : operation.kind === 'document' && operation.returns === 'collection'
        ? 'rows'
        : 'record',
  hasId: operation.path.includes('{id}'),
  parameters: Object.entries(operation.parameters),
  follows: operation.kind === 'list' ? findWriteClock(operation) : null,
}));

function findWriteClock({ sorts, windows }: List): ClientOperation['follows'] {
  const [axis, window] = Object.entries(windows).find(([, { clock }]) => clock === 'write') ?? [];
  const sort = `${axis}Asc`;
  return window !== undefined && sorts.some((one) => one === sort) ? { sort, from: window.from, to: window.to } : null;
}
