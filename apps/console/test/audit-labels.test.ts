import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { audit } from '../web/labels/pl/audit.ts';

const schema = readFileSync(join(import.meta.dirname, '../../../migrations/schema.sql'), 'utf8');
/** Tables whose rows an administrator changes in the console or on the host; columns that no event has. */
const tables = ['organization', 'tenant', 'api_key', 'member', 'member_credential', 'set_up_token'];
const unrecorded = new Set(['digest', 'changed_at', 'secret_sha256', 'last_signed_in_at', 'secret', 'facts', 'sha256']);

test.each(tables)('the fields of events about the table %s have Polish names', (table) => {
  const columns = new RegExp(`^CREATE TABLE control\\.${table} \\(\\n([\\s\\S]*?)\\n\\);`, 'm').exec(schema)?.[1] ?? '';
  const names = [...columns.matchAll(/^ +([a-z_\d]+) /gm)].map(([, name = '']) => name);
  expect(names).toContain('id');
  const fields: Readonly<Record<string, string>> = audit.audit.fields;
  expect(names.filter((name) => !unrecorded.has(name) && fields[name] === undefined)).toEqual([]);
});
