import { describeParameter, findExampleId, type Operation, operations, requiredScopes } from '@tenantscope/contract';
import type { OperationForm, OperationWindow } from '../../api/playground.ts';
import { idLinks } from './id-links.ts';

/** Every operation of the contract, as the playground's form shows it. */
export const operationForms: readonly OperationForm[] = (operations as readonly Operation[]).map((operation) => ({
  name: operation.name,
  kind: operation.kind,
  path: operation.path,
  scope: operation.scope,
  requiredScopes: requiredScopes(operation),
  summary: operation.summary,
  description: operation.description,
  toolDescription: operation.toolDescription,
  exampleId: findExampleId(operation) ?? null,
  sorts: operation.kind === 'list' ? operation.sorts : [],
  windows: listWindows(operation),
  parameters: Object.entries(operation.parameters).map(([name, parameter]) => ({
    name,
    kind: parameter.kind,
    description: describeParameter(parameter),
    allowed: 'allowed' in parameter ? parameter.allowed : null,
    example: parameter.example,
  })),
  examples: operation.examples,
  idLinks: idLinks(operation),
}));

function listWindows(operation: Operation): readonly OperationWindow[] {
  if (operation.kind === 'list')
    return Object.entries(operation.windows).map(([axis, { from, to, clock }]) => ({ axis, from, to, clock }));
  const { from, to } = operation.parameters;
  return from?.kind === 'instant' && to?.kind === 'instant'
    ? [{ axis: '', from: 'from', to: 'to', clock: 'upstream' }]
    : [];
}
