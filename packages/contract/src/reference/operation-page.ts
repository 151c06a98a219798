import { buildOpenApi } from '../openapi/openapi.ts';
import { findExampleId, type Operation, requiredScopes } from '../operation/operation.ts';
import { representations } from '../operation/representation.ts';
import { describeParameter, type Parameter } from '../parameter/parameter.ts';
import { type FieldRow, listFields, type NamedSchemas, resolveReferences } from './schema-fields.ts';

/** The pages of the reference: paragraphs of Markdown about one operation, and about any schema of the OpenAPI document. */
export interface ReferencePages {
  describeOperation(operation: Operation): string[];
  describeSchema(name: string): string;
}

export function createReferencePages(operations: readonly Operation[], baseUrl: string): ReferencePages {
  const { components } = buildOpenApi(operations, baseUrl) as unknown as { components: { schemas: NamedSchemas } };
  const describeSchema = (name: string) =>
    renderFields(listFields(resolveReferences({ $ref: `#/components/schemas/${name}` }, components.schemas)));
  return {
    describeSchema,
    describeOperation(operation) {
      const parameters = Object.entries<Parameter>(operation.parameters);
      const record = String(operation.record.meta()?.id);
      return [
        `## ${operation.summary}: \`GET ${operation.path}\``,
        `${operation.description} ${describeScopes(operation)}`,
        ...(parameters.length > 0
          ? [renderParameters(parameters)]
          : [operation.kind === 'get' ? 'No parameters except the id in the path.' : 'No parameters.']),
        ...renderRepresentations(operation),
        ...renderExamples(operation, baseUrl),
        `Fields of ${code(record)}:`,
        describeSchema(record),
      ];
    },
  };
}

function describeScopes(operation: Operation): string {
  const scopes = requiredScopes(operation).map(code);
  if (scopes.length === 0) return 'Requires no scope.';
  return `Requires the scope${scopes.length > 1 ? 's' : ''} ${scopes.join(' and ')}.`;
}

function renderRepresentations({ representations: offered = [] }: Operation): string[] {
  if (offered.length === 0) return [];
  const rows = offered.map((name) => [code(representations[name].mediaType), representations[name].description]);
  return ['With `Accept`, REST also returns:', renderTable(['Media type', 'Content'], rows)];
}

function renderParameters(parameters: readonly (readonly [string, Parameter])[]): string {
  return renderTable(
    ['Parameter', 'Description', 'Example'],
    parameters.map(([name, parameter]) => [
      code(name),
      describeParameter(parameter).replace(/ Example: .*$/s, ''),
      code(parameter.example),
    ]),
  );
}

function renderExamples(operation: Operation, baseUrl: string): string[] {
  const { examples } = operation;
  const path = operation.path.replace('{id}', findExampleId(operation) ?? '');
  if (examples.length === 0) return [];
  const lines = examples.map(({ description, input }) => {
    const query = Object.entries(input).map(([name, value]) => `${name}=${value}`);
    return `    # ${description}\n    curl -H "Authorization: Bearer $KEY" "${baseUrl}${path}${query.length > 0 ? '?' : ''}${query.join('&')}"`;
  });
  return [lines.join('\n\n')];
}

const renderFields = (fields: readonly FieldRow[]): string =>
  renderTable(
    ['Field', 'Type', 'Description'],
    fields.map(({ name, type, description }) => [code(name), type, description]),
  );

export function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string): string => `\`${text}\``;
