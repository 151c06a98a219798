import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The migrations of this version. */
export const migrationFolder = fileURLToPath(new URL('../../../../migrations/', import.meta.url));

export type Schema = 'control' | 'models';
export type Phase = 'expand' | 'contract';

/** A migration file for one schema. */
export interface Step {
  readonly name: string;
  readonly sha256: string;
  readonly sql: string;
  /** `expand` adds and breaks no process of the previous version; `contract` removes what older processes use. */
  readonly phase: Phase;
  /** Of a contract step: the oldest version whose processes run on its result. */
  readonly processes: string | null;
  /** False: one statement that PostgreSQL refuses in a transaction, such as `create index concurrently`. */
  readonly isTransactional: boolean;
}

/**
 * The steps for some schemas, in the order of the files. The header of a file, its comment lines before the first statement, names its schemas, where
 * a file for two schemas is two steps, and its phase. The schema `audit` is the one that has the audit log: control, or models in a database of its
 * own, which cannot reach control. Throws for a header that is not understood: a contract step must not run as an expand step.
 */
export async function readSteps(folder: string, schemas: readonly Schema[]): Promise<Step[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort();
  const steps = await Promise.all(
    names.map(async (name) => splitFile(name, await readFile(`${folder}/${name}`, 'utf8'), schemas)),
  );
  return steps.flat();
}

function splitFile(name: string, text: string, schemas: readonly Schema[]): Step[] {
  const { declared, ...header } = parseHeader(name, text);
  return declared
    .filter((schema) => schema === 'audit' || schemas.includes(schema as Schema))
    .map((schema) => {
      const sql = text.replaceAll(':schema', schema).replaceAll(':audit', String(schemas[0]));
      const sha256 = createHash('sha256').update(sql).digest('hex');
      return { ...header, name: `${name.replace(/\.sql$/, '')} ${schema}`, sha256, sql };
    });
}

function parseHeader(name: string, text: string) {
  const lines = /^(?:--.*\n|\s*\n)*/.exec(text)?.[0] ?? '';
  const read = (key: string, values: RegExp): string | null => {
    const value = new RegExp(`^-- ${key}:(.*)$`, 'm').exec(lines)?.[1]?.trim();
    if (value !== undefined && !values.test(value)) throw invalid(name, `"${key}: ${value}" is not understood`);
    return value ?? null;
  };
  const declared = read('schemas', /^(control|models|audit)(, (control|models|audit))*$/)?.split(', ');
  if (declared === undefined) throw invalid(name, '"-- schemas:" is missing');
  const phase = (read('phase', /^(expand|contract)$/) ?? 'expand') as Phase;
  const processes = read('processes', /^\d+\.\d+\.\d+$/);
  if ((phase === 'contract') !== (processes !== null))
    throw invalid(
      name,
      'a contract step, and no other, names the oldest version that runs on its result ("-- processes: 1.2.3")',
    );
  return { declared, phase, processes, isTransactional: read('transaction', /^none$/) === null };
}

const invalid = (name: string, problem: string) => new Error(`The header of the migration ${name}: ${problem}.`);
