import { scopes, topics } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { detectionState, recordMessage } from '../installation/feed-records.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';

let installation: Installation;
let baseUrl: string;
let secret: string;
let caller: ApiClient;

beforeAll(async () => {
  installation = await startInstallation();
  await installation.startIngest();
  ({ baseUrl } = await installation.startApi());
  const { id: tenantId } = await installation.createTenant();
  const key = { name: 'reader', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
  ({ secret } = await installation.admin.keys.create(key));
  caller = createApiClient(baseUrl, secret);
  const records = [0, 1, 2].map((number) => activityMessage(tenantId, JSON.stringify(activityRecord(number))));
  await installation.publisher.send(installation.activityTopic, records);
  // The first is of the informational tier, which lists leave out.
  const states = [detectionState(tenantId, 0, 1, { kind: 'rareKind' }), detectionState(tenantId, 1)];
  await installation.publisher.publish(
    `${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics.detection.suffix}`,
    states.map((state) => recordMessage('detection.upserted', state)),
  );
  await eventually('the records are rows', 30_000, async () => {
    const logs = await caller.get('/logs');
    const detections = await caller.get('/detections', { includeInfoTier: 'true' });
    return logs.body.data.length === 3 && detections.body.data.length === 2;
  });
});
afterAll(() => installation[Symbol.asyncDispose]());

async function noteOf(path: string, parameters: Readonly<Record<string, string>>): Promise<string | null> {
  const { status, body } = await caller.get(path, parameters);
  expect(status).toBe(200);
  expect(body.data.rowCount ?? body.data.length).toBe(0);
  return body.pagination?.note ?? body.data.note ?? null;
}

test('an empty page names the values that no stored record has, with similar ones', async () => {
  const noSharepoint = 'workload=Sharepoint does not occur in the stored records. Similar values that do: SharePoint.';
  expect(await noteOf('/logs', { workload: 'Sharepoint' })).toBe(noSharepoint);
  expect(await noteOf('/logs/summary', { workload: 'Sharepoint' })).toBe(noSharepoint);
  expect(await noteOf('/logs', { action: 'FileDownload,Nothing-Like-It' })).toBe(
    'action=FileDownload does not occur in the stored records. Similar values that do: FileDownloaded. ' +
      'action=Nothing-Like-It does not occur in the stored records.',
  );
  expect(await noteOf('/detections', { actionGroup: 'file.downloads' })).toBe(
    'actionGroup=file.downloads does not occur in the stored records. Similar values that do: file.download.',
  );
});

test('an empty page names a value that is not one address', async () => {
  const note = 'actorIp=203.0.113.0/24 is not one IP address, so it matches nothing.';
  expect(await noteOf('/logs', { actorIp: '203.0.113.0/24,192.0.2.1' })).toBe(note);
  expect(await noteOf('/logs/summary', { actorIp: '203.0.113.0/24' })).toBe(note);
});

test('a value that occurs outside of the window or with other filters has no note', async () => {
  expect(await noteOf('/logs', { workload: 'SharePoint', occurredTo: '2020-01-01' })).toBeNull();
  expect(await noteOf('/logs', { workload: 'SharePoint', actorIp: '192.0.2.1' })).toBeNull();
  expect((await caller.get('/logs', { workload: 'SharePoint' })).body.pagination.note).toBeNull();
});

test('an empty page names the flag without which its rows are left out', async () => {
  const leftOut = 'Rows that match are left out by default: add includeInfoTier=true.';
  expect(await noteOf('/detections', { kind: 'rareKind' })).toBe(leftOut);
  expect(await noteOf('/detections', { level: 'informational' })).toBe(leftOut);
  expect(await noteOf('/detections', { level: 'informational', entityId: 'no-such-id' })).toBeNull();
  expect(await noteOf('/detections', { kind: 'rareKind', includeInfoTier: 'false' })).toBeNull();
});

test('an id that does not occur has no note', async () => {
  expect(await noteOf('/logs', { actorId: 'no-such-id' })).toBeNull();
});

test('an investigator receives the note from the tool', async () => {
  const mcp = createMcpClient(baseUrl, secret);
  const { structuredContent } = await mcp.call('list_logs', { workload: 'sharepoint' });
  expect(structuredContent).toMatchObject({
    pagination: {
      note: 'workload=sharepoint does not occur in the stored records. Similar values that do: SharePoint.',
    },
  });
});
