import { describe, errors, type Operation, openApi, operations, type Parameter, scopes } from '@tenantscope/contract';
import { type FieldRow, fieldsOf, type Schema } from './fields.ts';

/** The address that stands in the text for the one of a deployment. */
const address = 'https://tenantscope.example/api/v1';

const every: readonly Operation[] = operations;
const description = openApi(every, address) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The reference page: every operation with its parameters, examples and fields, and every error. */
export function reference(): string {
  return `${[
    '# Reference',
    'Written by `npm run docs` from the declarations in `packages/contract`; do not edit.',
    `Everything is read with GET below the base address (\`${address}\` here) and answered as JSON. Send the key as \`Authorization: Bearer KEY\` or \`X-API-Key: KEY\`; ` +
      'an organization-wide key names a tenant with `X-Tenant-Id`. The same, for machines, is served at `/openapi.json`. Fields and values may be added to answers.',
    table(
      ['', 'Operation', 'Scope'],
      every.map(({ name, path, scope, summary }) => [
        summary,
        `[\`GET ${path}\`](#${name})`,
        scope ? code(scope) : 'any',
      ]),
    ),
    `Scopes that keys can carry: ${scopes.map(code).join(', ')}.`,
    '## Answers',
    'One record, or everything about one thing, is `{ "data": … }`. A list is `{ "data": […], "pagination": … }`:',
    fieldTable(fieldsOf(paginationOf())),
    ...every.flatMap(operationPart),
    '## Errors',
    'Every failure has the body `{ "error": { "code", "message", "requestId", "details"? } }`. `message` says what to do next; `details` name parameters that were refused and what would have been taken.',
    table(
      ['Status', 'Code', 'Meaning'],
      Object.entries(errors)
        .toSorted(([, one], [, other]) => one.status - other.status)
        .map(([name, { status, meaning }]) => [String(status), code(name), meaning]),
    ),
  ].join('\n\n')}\n`;
}

function operationPart(operation: Operation): string[] {
  const parameters = Object.entries<Parameter>(operation.parameters);
  const { record, scope } = operation;
  return [
    `<a id="${operation.name}"></a>`,
    `## ${operation.summary}: \`GET ${operation.path}\``,
    `${operation.description} ${scope ? `Needs the scope ${code(scope)}.` : 'Needs no particular scope.'}`,
    ...(parameters.length > 0
      ? [parameterTable(parameters)]
      : [operation.kind === 'get' ? 'No parameters beside the id in the path.' : 'No parameters.']),
    ...examplesOf(operation),
    `Fields of ${code(String(record.meta()?.id))}:`,
    fieldTable(fieldsOf(description.components.schemas[String(record.meta()?.id)] ?? {})),
  ];
}

function parameterTable(parameters: readonly (readonly [string, Parameter])[]): string {
  return table(
    ['Parameter', 'What it does, what is allowed', 'Example'],
    parameters.map(([name, parameter]) => [
      code(name),
      describe(parameter).replace(/ Example: .*$/s, ''),
      code(parameter.example),
    ]),
  );
}

function examplesOf(operation: Operation): string[] {
  const { examples } = operation;
  const path = operation.kind === 'get' ? operation.path.replace('{id}', operation.exampleId) : operation.path;
  if (examples.length === 0) return [];
  const lines = examples.map(({ words, input }) => {
    const query = Object.entries(input).map(([name, value]) => `${name}=${value}`);
    return `    # ${words}\n    curl -H "Authorization: Bearer $KEY" "${address}${path}${query.length > 0 ? '?' : ''}${query.join('&')}"`;
  });
  return [lines.join('\n\n')];
}

/** What every list adds to its rows: one schema of all lists, one of those that go page by page. */
function paginationOf(): Schema {
  const { Pagination, ListPagination } = description.components.schemas;
  return { properties: { ...Pagination?.properties, ...ListPagination?.properties } };
}

const fieldTable = (fields: readonly FieldRow[]): string =>
  table(
    ['Field', 'Type', 'Meaning'],
    fields.map(({ name, type, words }) => [code(name), type, words]),
  );

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string): string => `\`${text}\``;
