import { createReferencePages, type Operation, operations, type Scope } from '@tenantscope/contract';
import { unknownName } from './json-rpc-error.ts';
import { isCallable } from './tool-list.ts';

/** A page of the reference, which a client can read before it calls the tool of the same name. */
interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: 'text/markdown';
}

const prefix = 'tenantscope://reference/';

const toResource = ({ name, summary, path }: Operation): Resource => ({
  uri: prefix + name,
  name,
  title: summary,
  description: `Reference of ${name}, GET ${path}: parameters, examples and every field.`,
  mimeType: 'text/markdown',
});

const every: readonly Operation[] = operations;

/** The reference pages of the operations that the key can call, as a JSON array in the order of the documentation. */
export const serializeResourceList = (scopes: ReadonlySet<Scope>): string =>
  JSON.stringify(every.filter((operation) => isCallable(operation, scopes)).map(toResource));

/** The members of one resource's result. Pages contain no stored data. Throws JsonRpcError. */
export function serializeResource(scopes: ReadonlySet<Scope>, uri: unknown, publicUrl: string): string {
  const callable = every.filter((operation) => isCallable(operation, scopes));
  const operation = callable.find(({ name }) => uri === prefix + name);
  if (!operation)
    throw unknownName(
      'resource',
      uri,
      callable.map(({ name }) => prefix + name),
    );
  const text = `${readPages(publicUrl).describeOperation(operation).join('\n\n')}\n`;
  return JSON.stringify({ contents: [{ uri, mimeType: 'text/markdown', text }] }).slice(1, -1);
}

let pages: { readonly publicUrl: string; readonly of: ReturnType<typeof createReferencePages> } | null = null;

/** Created by the first request for a page: the OpenAPI document behind them takes 10 ms. */
function readPages(publicUrl: string): ReturnType<typeof createReferencePages> {
  if (pages?.publicUrl !== publicUrl) pages = { publicUrl, of: createReferencePages(every, publicUrl) };
  return pages.of;
}
