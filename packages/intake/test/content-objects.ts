import { type EntityObject, id, other } from './entity-object.ts';

/** Objects with content: sites, drives, files and mails. */
export const contentObjects: readonly EntityObject[] = [
  [
    'graph.site',
    {
      id: `contoso.example,${id},${other}`,
      displayName: 'Team',
      webUrl: 'https://contoso.example/team',
      isPersonalSite: true,
    },
    { kind: 'site', id: `contoso.example,${id},${other}` },
    `site/contoso.example,${id},${other}/graph.site`,
    { displayName: 'Team', webUrl: 'https://contoso.example/team', siteType: 'personal' },
  ],
  [
    'graph.drive',
    { id: 'b!1', driveType: 'documentLibrary', name: 'Documents', quota: { used: 5, total: 10 } },
    { kind: 'site', id: 's' },
    'site/s/graph.drive:b!1',
    null,
  ],
  [
    'graph.driveitem',
    {
      id: '01ABC',
      name: 'Budget 2027.XLSX',
      size: 12,
      lastModifiedDateTime: '2026-11-18T00:00:00Z',
      file: { hashes: { quickXorHash: 'x' } },
      parentReference: { driveId: 'd', driveType: 'business', path: '/drive/root:/Plans' },
    },
    { kind: 'file', id: '01ABC' },
    'file/01ABC/graph.driveitem',
    {
      name: 'Budget 2027.XLSX',
      extension: 'xlsx',
      sizeBytes: 12,
      driveId: 'd',
      driveType: 'business',
      modifiedAt: '2026-11-18T00:00:00.000Z',
      hashes: { sha256: null, quickXor: 'x' },
      path: '/drive/root:/Plans',
      lastSeenAt: '2026-11-18T00:00:00.000Z',
    },
  ],
  [
    'graph.driveitem',
    { id: '01DEF', name: 'Plans', folder: { childCount: 2 } },
    null,
    'file/01DEF/graph.driveitem',
    null,
  ],
  [
    'graph.permission',
    { id: 'p', roles: ['read'], link: { scope: 'anonymous', type: 'view' } },
    { kind: 'file', id: 'f' },
    'file/f/graph.permission:p',
    null,
  ],
  ['graph.listitem', { id: '20', driveItem: { id: '01ABC' } }, null, 'file/01ABC/graph.listitem', null],
  [
    'graph.message',
    {
      id: 'AAMk=',
      internetMessageId: '<ABC@Contoso.example>',
      subject: 'Invoice\u202etxt',
      body: { content: 'never kept' },
      bodyPreview: 'never kept',
      from: { emailAddress: { address: 'billing@contoso.example' } },
      toRecipients: [{ emailAddress: { address: 'ada@contoso.example' } }],
    },
    { kind: 'email', id: '<abc@contoso.example>' },
    'email/d316e90f-e06c-5c59-847b-c39a8d987e26/graph.message',
    {
      internetMessageId: '<ABC@Contoso.example>',
      subject: 'Invoice\\u{202E}txt',
      senderAddress: 'billing@contoso.example',
      recipientCount: 1,
      recipients: ['ada@contoso.example'],
    },
  ],
];
