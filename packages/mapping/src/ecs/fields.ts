/** Where the value of a field of ECS comes from: the member that has it, or what it is read from. */
export type EcsSource<Row> = (keyof Row & string) | MemberIf<Row> | Derived<Row>;

/** The value of a member, unchanged, of the rows for which the condition holds. */
interface MemberIf<Row> {
  readonly member: keyof Row & string;
  readonly if: (row: Row) => boolean;
  /** The condition for the page of the mapping. */
  readonly note: string;
}

/** A value that is no member as it is. The members that it is read from remain in the object of the product. */
interface Derived<Row> {
  readonly note: string;
  readonly read: (row: Row) => unknown;
}

/** Fields of ECS by their dotted names. */
export type EcsFields<Row> = Readonly<Record<string, EcsSource<Row>>>;

/** A document of ECS. Members of the row without a field are in `tenantscope`, under their own names. */
export interface EcsDocument {
  readonly '@timestamp': string;
  readonly [name: string]: unknown;
}

/** The version of the schema that all documents are of. */
export const ecsVersion = '9.4.0';

/** The object of a document in which members of the row are that have no field. */
export const ecsRemainder = 'tenantscope';

interface Step<Row> {
  readonly path: readonly string[];
  readonly member: string | null;
  readonly read: (row: Row) => unknown;
}

/** Makes the function that writes rows as documents of ECS. */
export function mapToEcs<Row extends object>(fields: EcsFields<Row>): (row: Row) => EcsDocument {
  const steps = Object.entries<EcsSource<Row>>(fields).map(([name, source]) => ({
    path: name.split('.'),
    ...toReader(source),
  }));
  return (row) => writeDocument(steps, row);
}

function toReader<Row>(source: EcsSource<Row>): Omit<Step<Row>, 'path'> {
  if (typeof source === 'string') return { member: source, read: (row) => row[source] };
  if ('read' in source) return { member: null, read: source.read };
  const { member } = source;
  return { member, read: (row) => (source.if(row) ? row[member] : null) };
}

function writeDocument<Row extends object>(steps: readonly Step<Row>[], row: Row): EcsDocument {
  const document: Record<string, unknown> = {};
  const written = new Set<string>();
  for (const { path, member, read } of steps) {
    const value = read(row);
    if (isEmpty(value)) continue;
    setAt(document, path, value);
    if (member !== null) written.add(member);
  }
  const rest = Object.entries(row).filter(([name, value]) => !written.has(name) && !isEmpty(value));
  if (rest.length > 0) document[ecsRemainder] = Object.fromEntries(rest);
  return document as EcsDocument;
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

function setAt(document: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let object = document;
  for (const name of path.slice(0, -1)) {
    object[name] ??= {};
    object = object[name] as Record<string, unknown>;
  }
  object[path.at(-1) ?? ''] = value;
}
