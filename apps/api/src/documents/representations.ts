import { writeExceptionsCsv, writeFindingsCsv, writeOscal, writeStatusCsv } from '@tenantscope/compliance';
import { type OperationName, type Representation, representations } from '@tenantscope/contract';

/** Each takes `data` of the response, of the type that the operation's handler wrote. */
const writers: {
  readonly [Name in OperationName]?: { readonly [Form in Representation]?: (data: never) => string };
} = {
  get_compliance_status: { csv: writeStatusCsv, oscal: writeOscal },
  list_compliance_findings: { csv: writeFindingsCsv },
  list_compliance_exceptions: { csv: writeExceptionsCsv },
};

/** The response of an operation in another media type that it declares. Of a list it contains the rows of the page. */
export function convertBody(name: OperationName, mediaType: string, body: Buffer | string): string {
  const form = (Object.keys(representations) as Representation[]).find(
    (one) => representations[one].mediaType === mediaType,
  );
  const write = form && (writers[name]?.[form] as ((data: unknown) => string) | undefined);
  if (!write) throw new TypeError(`${name} has no writer of ${mediaType}`);
  return write(JSON.parse(body.toString()).data);
}
