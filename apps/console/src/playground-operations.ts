import { describe, type Operation, operations, type Scope } from '@tenantscope/contract';
import { type Lead, leadsOf } from './leads.ts';

export type { Lead } from './leads.ts';

/** A stretch of time that can be asked for; on the `write` clock a closed one never changes. */
export interface AskedWindow {
  readonly axis: string;
  readonly from: string;
  readonly to: string;
  readonly clock: 'write' | 'upstream';
}

export interface AskedParameter {
  readonly name: string;
  readonly kind: string;
  readonly words: string;
  readonly allowed: readonly string[] | null;
  readonly example: string;
}

export interface AskedOperation {
  readonly name: string;
  readonly kind: 'list' | 'get' | 'document';
  readonly path: string;
  readonly scope: Scope | null;
  readonly summary: string;
  readonly description: string;
  /** What agents read instead. */
  readonly guidance: string;
  readonly exampleId: string | null;
  /** The first is the default. */
  readonly sorts: readonly string[];
  readonly windows: readonly AskedWindow[];
  readonly parameters: readonly AskedParameter[];
  readonly examples: readonly { readonly words: string; readonly input: Readonly<Partial<Record<string, string>>> }[];
  readonly leads: Readonly<Record<string, Lead>>;
}

/** Every operation of the contract, as a form is made of it. */
export const askedOperations: readonly AskedOperation[] = (operations as readonly Operation[]).map((operation) => ({
  name: operation.name,
  kind: operation.kind,
  path: operation.path,
  scope: operation.scope,
  summary: operation.summary,
  description: operation.description,
  guidance: operation.guidance,
  exampleId: operation.kind === 'get' ? operation.exampleId : null,
  sorts: operation.kind === 'list' ? operation.sorts : [],
  windows: windowsOf(operation),
  parameters: Object.entries(operation.parameters).map(([name, parameter]) => ({
    name,
    kind: parameter.kind,
    words: describe(parameter),
    allowed: 'allowed' in parameter ? parameter.allowed : null,
    example: parameter.example,
  })),
  examples: operation.examples,
  leads: leadsOf(operation),
}));

function windowsOf(operation: Operation): readonly AskedWindow[] {
  if (operation.kind === 'list')
    return Object.entries(operation.windows).map(([axis, { from, to, clock }]) => ({ axis, from, to, clock }));
  const { from, to } = operation.parameters;
  return from?.kind === 'instant' && to?.kind === 'instant'
    ? [{ axis: '', from: 'from', to: 'to', clock: 'upstream' }]
    : [];
}
