import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectors } from '@tenantscope/connectors';
import { buildOpenApi, type Operation, operations, parseInput } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { requestReaders } from './requests.ts';
import { rowMembers } from './row-members.ts';

const folder = join(import.meta.dirname, '..');
const pages = join(folder, '..', '..', 'docs', 'siem');
const files = connectors.flatMap((connector) => connector.files);
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly allOf?: readonly Schema[];
}
const { schemas, headers } = buildOpenApi(operations, 'https://tenantscope.example.com/api/v1').components as {
  schemas: Record<string, Schema>;
  headers: Record<string, unknown>;
};
const membersOf = (schema: Schema = {}): string[] => [
  ...Object.keys(schema.properties ?? {}),
  ...(schema.allOf ?? []).flatMap((part) =>
    membersOf('$ref' in part ? schemas[String(part.$ref).split('/').at(-1) ?? ''] : part),
  ),
];

test('every file belongs to one connector', () => {
  const present = globSync('*/**', { cwd: folder, withFileTypes: true, exclude: ['node_modules', 'src', 'test'] })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => !file.startsWith('node_modules/') && !file.includes('__pycache__'));
  expect(files.toSorted()).toEqual(present.toSorted());
  expect(new Set(files).size).toBe(files.length);
});

test.each(files.filter((file) => file.endsWith('.json')))('%s is JSON', (file) => {
  expect(JSON.parse(read(file))).toBeTypeOf('object');
});

test.each(files.filter((file) => /\.ya?ml$/.test(file)))('%s is YAML', (file) => {
  expect(parse(read(file))).toBeTypeOf('object');
});

test.each(files.filter((file) => /\.xml$|ossec\.conf$/.test(file)))('%s has a closing tag for each element', (file) => {
  const open: string[] = [];
  const text = read(file).replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g, '');
  for (const [, closes, name = '', empty] of text.matchAll(/<(\/?)([\w:-]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/g)) {
    if (closes) expect(open.pop()).toBe(name);
    else if (!empty) open.push(name);
  }
  expect(open).toEqual([]);
  expect(text.replace(/<\/?[\w:-]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/g, '')).not.toMatch(/[<>]/);
});

test('the requests of every file that polls are checked', () => {
  const polling = connectors.filter(({ reads }) => reads === 'api').flatMap((connector) => connector.files);
  expect(Object.keys(requestReaders).toSorted()).toEqual(
    polling.filter((file) => /sort["=: ]|"sort"/.test(read(file)) && !file.includes('breaker')).toSorted(),
  );
});

test.each(Object.keys(requestReaders))(
  'the API accepts the requests of %s, which are ascending on the write clock',
  (file) => {
    const requests = requestReaders[file]?.(read(file)) ?? [];
    expect(requests.length).toBeGreaterThan(0);
    for (const { list, parameters } of requests) {
      const operation = (operations as readonly Operation[]).find(({ path }) => path === `/${list}`);
      if (operation?.kind !== 'list') throw new Error(`${list} is no list`);
      expect(() => parseInput(operation, Object.entries(parameters)), JSON.stringify(parameters)).not.toThrow();
      expect(parameters.limit).toBe('1000');
      expect(parameters.sort).toBe(list === 'logs' ? 'discoveredAtAsc' : 'updatedAtAsc');
    }
  },
);

test.each(files)('%s names only headers and members of pagination that exist', (file) => {
  const text = read(file);
  const existing = [...Object.keys(headers), 'X-API-Key'].map((name) => name.toLowerCase());
  for (const [name] of text.matchAll(/\bX-(?:RateLimit|Tenant|Request|API)[\w-]*|\bretry-after\b/gi))
    expect(existing).toContain(name.toLowerCase());
  const members = membersOf(schemas.ListPagination);
  expect(members).toContain('resumeCursor');
  for (const [, name] of text.matchAll(/\bpagination(?:\.|\/|"\]\["|'\]\[')(\w+)/g)) expect(members).toContain(name);
});

test.each(Object.entries(rowMembers))(
  '%s names only members of rows that exist',
  (file, { schemas: names, patterns, least }) => {
    const text = read(file);
    const members = new Set(names.flatMap((name) => membersOf(schemas[name])));
    const named = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));
    expect(named.filter((name) => !members.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThanOrEqual(least);
  },
);

test('the table of Sentinel and the schema of Panther have every member of a log row', () => {
  const members = membersOf(schemas.AuditLogEvent);
  for (const file of ['sentinel/template.json', 'panther/schema.yml']) {
    const { patterns } = rowMembers[file] ?? { patterns: [] };
    const named = new Set(patterns.flatMap((pattern) => [...read(file).matchAll(pattern)].map(([, name]) => name)));
    expect(
      members.filter((member) => !named.has(member)),
      file,
    ).toEqual([]);
  }
});

test.each(['elastic/filebeat-cel.yml', 'elastic/filebeat-httpjson.yml'])(
  '%s has an index of its own, with which Filebeat starts only without its own template',
  (file) => {
    const settings = parse(read(file));
    expect(settings).toMatchObject({ 'setup.template.enabled': false, 'setup.ilm.enabled': false });
    const template = JSON.parse(read('elastic/index-template.json'));
    const [pattern = ''] = template.index_patterns as string[];
    expect(settings['output.elasticsearch'].index).toMatch(new RegExp(`^${pattern.replaceAll('*', '.*')}$`));
    // A name of a provider may be another one with a dot and more: dynamic mapping rejects the later row.
    expect(template.template.mappings.properties.tenantscope.properties.details).toEqual({ type: 'flattened' });
  },
);

test('Vector reads the zone of a time: without one it takes that of its host', () => {
  const [, format] = /parse_timestamp!\(\.occurredAt, format: "([^"]+)"\)/.exec(read('vector/vector.yaml')) ?? [];
  expect(format).toMatch(/%(?:z|:z|#z|\+)/);
});

test('the user of a detection in Splunk is its entity only where that is a user', () => {
  const [, detections = ''] = read('splunk/TA-tenantscope/default/props.conf').split('[tenantscope:detections]');
  expect(detections).toContain(`EVAL-user = if('entity.type' == "user", 'entity.name', null())`);
  expect(detections).toContain(`EVAL-user_id = if('entity.type' == "user", 'entity.id', null())`);
  expect(detections).not.toMatch(/entity\.\w+ AS/);
});

test.each([
  [
    'authentication',
    'UserLoggedIn|UserLoginFailed|Sign-in activity|TeamsSessionStarted|user.authentication.sso|user.session.end|login_failure',
  ],
  [
    'acl_modified',
    'CompanyLinkCreated|SharingSet|AddedToSecureLink|Add-MailboxPermission|Add member to role.|Consent to application.|change_user_access|GRANT_ADMIN_PRIVILEGE|user.account.privilege.grant',
  ],
  [
    'created',
    'FileUploaded|New-InboxRule|Add group.|Add service principal.|user.lifecycle.create|CREATE_USER|DeployedAgent|FolderCreated',
  ],
  ['deleted', 'FileDeleted|FileRecycled|HardDelete|Remove-InboxRule|Delete user.|DELETE_USER|user.lifecycle.delete'],
  ['read', 'FileAccessed|FileDownloaded|FileSyncDownloadedFull|MailItemsAccessed|PageViewed|view|download'],
  [
    'modified',
    'FileModified|FileRenamed|Set-Mailbox|Update user.|Add member to group.|Remove member from group.|REMOVE_GROUP_MEMBER|group.user_membership.remove|Disable account.|SUSPEND_USER|MICROSOFT.STORAGE/STORAGEACCOUNTS/WRITE|Add service principal credentials.',
  ],
  [undefined, 'CopilotInteraction|Send|DLPRuleMatch|AlertTriggered|Risk detection|MessageTraceDelivered'],
])('the action of an event in Splunk is %s as the Common Information Model names it', (expected, actions) => {
  const [, evaluation = ''] = /^EVAL-action = (.+)$/m.exec(read('splunk/TA-tenantscope/default/props.conf')) ?? [];
  const cases = [...evaluation.matchAll(/match\('action', "\(\?i\)([^"]+)"\), (?:"(\w+)"|case)/g)];
  expect(cases).toHaveLength(6);
  for (const action of actions.split('|')) {
    const found = cases.find(([, pattern = '']) => new RegExp(pattern, 'i').test(action));
    expect(found && (found[2] ?? 'authentication'), action).toBe(expected);
  }
});

test('events of Splunk are tagged by the values that their actions have in a model', () => {
  const types = read('splunk/TA-tenantscope/default/eventtypes.conf');
  const lists = [...types.matchAll(/ action IN \((.+)\)$/gm)].map(([, list = '']) => JSON.parse(`[${list}]`));
  expect(lists).toEqual([
    ['success', 'failure', 'unknown'],
    ['acl_modified', 'created', 'deleted', 'modified', 'read'],
  ]);
});

test('an event of Google SecOps is an access to a resource only where it names a user and a resource', () => {
  expect(read('google-secops/parser.conf')).toMatch(
    /if \[actorId\] != "" and \(\[resourceId\] != "" or \[resourceName\] != ""\) \{\s+mutate \{ replace => \{ "event\.idm\.read_only_udm\.metadata\.event_type" => "USER_RESOURCE_ACCESS"/,
  );
});

test('the index lists every connector with how it was checked and what it delivers', () => {
  const index = readFileSync(join(pages, 'README.md'), 'utf8');
  const rows = connectors.map(({ product, page, reads, checked, delivery }) => {
    const source = reads === 'api' ? 'the API' : 'files of [tenantscope tail](tail.md)';
    return `| [${product}](${page}) | ${source} | ${checked === 'run' ? 'run' : 'names'} | ${delivery} |`;
  });
  expect(index).toContain(rows.join('\n'));
});

test.each(connectors)('the page of $product contains its files or links to them', ({ page, files: own }) => {
  const text = readFileSync(join(pages, page), 'utf8');
  for (const file of own) {
    const isLinked =
      text.includes(`(../../packages/connectors/${file})`) ||
      text.includes(`(../../packages/connectors/${file.split('/').slice(0, 2).join('/')})`);
    expect(isLinked || text.includes(`\n${read(file).trimEnd()}\n\`\`\``), file).toBe(true);
  }
});
