import { articleWeights } from '@tenantscope/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { clientId, earlierMs, goldenRecords, graphId, noonMs } from './golden-records.ts';
import { findSection, type Pack, readPack } from './packs.ts';

const { at, dayMs, hourMs } = input;
const window = { fromMs: noonMs - 183 * dayMs, toMs: noonMs };

let facts: FactDatabase;
let pack: Pack;
const tenantId = newTenantId();

beforeAll(async () => {
  facts = await openFactDatabase();
  await facts.ingest(tenantId, earlierMs, goldenRecords);
  await facts.ingest(tenantId, noonMs, [
    events.interaction('anna', noonMs - hourMs, { agentId: 'sales', resources: [{ Id: 'plan', Name: 'plan.docx' }] }),
  ]);
  pack = await readPack(facts, tenantId, { ...window, connectedAtMs: earlierMs });
});
afterAll(() => facts[Symbol.asyncDispose]());

const person = { assignedAt: null, assignedBy: null };
const assigned = { assignedBy: 'chief', assignedAt: '2026-01-10T09:00:00.000Z', provenance: 'assignment' };
const seen = at(earlierMs);

test('the inventory shows the reported values of each agent and null for the others', () => {
  expect(findSection(pack, 'inventory').rows).toEqual([
    {
      agentId: 'sales',
      externalIds: {
        agentIdentityId: 'identity-1',
        blueprintId: 'bp-1',
        appId: clientId,
        packageId: 'package-1',
        manifestId: 'manifest-1',
        botId: 'bot-1',
        environmentId: 'env-1',
      },
      name: 'Sales helper',
      evidence: 'reported',
      description: 'Answers questions about offers',
      blueprint: { id: 'bp-1', name: 'Helpers' },
      publisher: {
        name: 'Contoso',
        verified: true,
        verifiedPublisherId: 'vp-1',
        verifiedAt: '2025-06-01T00:00:00.000Z',
      },
      origin: 'custom',
      platform: 'copilotStudio',
      runsAs: 'agentIdentity',
      orchestration: 'generative',
      model: 'gpt-5',
      authentication: 'entra',
      creator: { userId: 'anna', name: 'Anna', tool: 'Copilot Studio' },
      channels: ['teams', 'word'],
      availableTo: 'some',
      deployedTo: 'some',
      lifecycleStatus: 'deployed',
      // g1 and g2 were granted, Mail.Send is assigned to the app of its identity, g3 is declared, Files.Read is declared by the
      // package only.
      permissionCounts: {
        total: 5,
        direct: 2,
        inherited: 1,
        declared: 2,
        tenantWide: 2,
        write: 2,
        adminConsented: 1,
      },
      instructionsCaptured: true,
      // printf 'Be helpful.' | sha256sum
      instructionsHash: '5ad131c7cb35b34d24e0110e754475cd7d369fc9b9f3dd0c967aeb35e6fbcb4f',
      accountable: { ...person, userId: 'anna', name: 'Anna', enabled: true, provenance: 'nativeOwner' },
      riskClass: 'high',
      createdAt: '2025-05-01T08:00:00.000Z',
      lastPublishedAt: '2026-01-02T03:04:05.000Z',
      lastActivityAt: at(noonMs - hourMs),
      firstSeenAt: seen,
      lastSeenAt: seen,
    },
    expect.objectContaining({
      agentId: 'shelf',
      name: 'Translator',
      blueprint: null,
      creator: null,
      origin: 'external',
      runsAs: 'unknown',
      authentication: 'unknown',
      orchestration: null,
      instructionsCaptured: false,
      instructionsHash: null,
      permissionCounts: {
        total: 1,
        direct: 0,
        inherited: 0,
        declared: 1,
        tenantWide: 0,
        write: 0,
        adminConsented: 0,
      },
      accountable: { ...assigned, userId: 'ben', name: 'Ben', enabled: false },
      riskClass: 'unclassified',
      lastActivityAt: null,
    }),
  ]);
});

test('the permissions section shows grants and package declarations and rates unrated ones', () => {
  const [declared, wide, assigned, written, connector, other] = findSection(pack, 'permissions').rows;
  expect(findSection(pack, 'permissions').totalRowCount).toBe(6);
  expect(declared).toEqual({
    agentId: 'sales',
    agentName: 'Sales helper',
    permissionId: 'declared:sales:Files.Read',
    value: 'Files.Read',
    permissionKind: null,
    source: 'declared',
    resourceId: null,
    resourceName: null,
    consentType: null,
    adminConsented: null,
    consentedBy: null,
    consentedAt: null,
    tenantWide: false,
    writeAccess: false,
    sensitivity: 'low',
    lastUsedAt: null,
  });
  expect(wide).toEqual({
    agentId: 'sales',
    agentName: 'Sales helper',
    permissionId: 'g1',
    value: 'Files.Read.All',
    permissionKind: 'delegated',
    source: 'direct',
    resourceId: graphId,
    resourceName: 'Microsoft Graph',
    consentType: 'allPrincipals',
    adminConsented: true,
    consentedBy: { userId: 'chief', name: 'Chief' },
    consentedAt: '2026-02-03T04:05:06.000Z',
    tenantWide: true,
    writeAccess: false,
    sensitivity: 'medium',
    lastUsedAt: '2026-06-10T00:00:00.000Z',
  });
  // Files.Read.All of the same app was reported for the agent itself, as g1.
  expect(assigned).toEqual({
    agentId: 'sales',
    agentName: 'Sales helper',
    permissionId: `app:crm:sales:${graphId}:anna:Mail.Send`,
    value: 'Mail.Send',
    permissionKind: 'delegated',
    source: 'direct',
    resourceId: graphId,
    resourceName: 'Graph as the grant calls it',
    consentType: 'principal',
    adminConsented: false,
    consentedBy: null,
    consentedAt: null,
    tenantWide: false,
    writeAccess: true,
    sensitivity: 'medium',
    lastUsedAt: null,
  });
  expect(written).toMatchObject({
    permissionId: 'g2',
    source: 'inherited',
    resourceName: 'SharePoint',
    tenantWide: true,
    writeAccess: true,
    sensitivity: 'high',
  });
  // Reported as a declaration and declared by the package: one row.
  expect(connector).toMatchObject({ permissionId: 'g3', value: 'Web.Search', source: 'declared' });
  expect(other).toMatchObject({ agentId: 'shelf', permissionId: 'declared:shelf:Mail.Read', value: 'Mail.Read' });
});

test('the store section lists agents that any user may add and no user was assigned', () => {
  expect(findSection(pack, 'store_shelf').rows).toEqual([
    {
      agentId: 'shelf',
      agentName: 'Translator',
      publisher: { name: 'Fabrikam', verified: null },
      origin: 'external',
      availableTo: 'all',
      hosts: ['outlook'],
      version: '2.1',
      declaredPermissions: ['Mail.Read'],
      dataSensitivity: 'general',
      firstSeenAt: seen,
      decision: { outcome: 'approved', by: 'chief', at: seen },
    },
  ]);
});

test('third-party apps are listed with grants, provider and decision', () => {
  expect(findSection(pack, 'third_party_apps').rows).toEqual([
    {
      appId: 'crm',
      clientId,
      appName: 'CRM connector',
      publisher: {
        name: 'Fabrikam',
        verified: false,
        verifiedPublisherId: null,
        homeTenantId: '33333333-3333-4333-8333-333333333333',
      },
      permissionCount: 3,
      grantsByResource: { 'Microsoft Graph': 1, 'Graph as the grant calls it': 1 },
      tenantWide: true,
      writeAccess: true,
      adminConsent: true,
      aiClassification: 'plugin',
      usersWithAccess: 40,
      lastUsedAt: '2026-06-01T00:00:00.000Z',
      signInAudience: 'AzureADMultipleOrgs',
      credentialExpiry: '2026-09-01T00:00:00.000Z',
      accountable: { ...assigned, userId: 'ben', name: 'Ben', enabled: false },
      ictServiceType: 'S17',
      contractRef: 'C-2025-7',
      providerCode: { code: '529900T8BM49AURSDO55', codeType: 'LEI' },
      decision: { outcome: 'restricted', by: 'chief', at: seen },
    },
  ]);
});

test('the reach section uses platform counts, otherwise file sharing data', () => {
  expect(findSection(pack, 'ai_app_reach').rows).toEqual([
    {
      subjectType: 'app',
      subjectId: 'crm',
      subjectName: 'CRM connector',
      reachBasis: 'permissions',
      computedAt: seen,
      files: 900,
      sensitiveFiles: 120,
      labeledFiles: 60,
      protectedFiles: null,
      dataTypes: [],
      restrictedTypes: [],
      sites: null,
      mailboxes: null,
      users: 40,
      externalUsers: 0,
      observedFiles: 0,
      accountable: { ...assigned, userId: 'ben', name: 'Ben', enabled: false },
    },
    {
      subjectType: 'agent',
      subjectId: 'sales',
      subjectName: 'Sales helper',
      reachBasis: 'both',
      computedAt: seen,
      files: 2,
      sensitiveFiles: 1,
      labeledFiles: 1,
      protectedFiles: 1,
      dataTypes: [{ id: 'iban', name: 'IBAN', files: 1 }],
      restrictedTypes: [{ id: 'iban', level: 'noAiAccess' }],
      sites: 2,
      mailboxes: null,
      users: 12,
      externalUsers: 3,
      observedFiles: 1,
      accountable: { ...person, userId: 'anna', name: 'Anna', enabled: true, provenance: 'nativeOwner' },
    },
  ]);
});

test('the metadata names tenant, period and sources of the pack', () => {
  const { limitations, sourceStatus, retention, ...rest } = pack.metadata;
  expect(rest).toEqual({
    tenantId,
    tenantName: 'Contoso',
    azureTenantId: null,
    generatedAt: at(noonMs),
    generatedBy: 'a test',
    coveredFrom: at(window.fromMs),
    coveredTo: at(noonMs),
    timezone: 'UTC',
    catalogueVersion: '2026.11',
    evaluatorVersion: '1',
    query: {
      from: at(window.fromMs),
      to: at(noonMs),
      framework: null,
      sections: null,
      section: null,
      pseudonymise: false,
    },
    toolVersions: { service: '0.0.0', generator: '1.4.0' },
  });
  expect(retention).toEqual({
    frameworks: ['EU-AI-Act-26(6)'],
    retentionTargetDays: 183,
    retentionTargetMet: false,
    logHistoryDays: 0,
    oldestLogAt: at(noonMs),
    newestLogAt: at(noonMs),
    tenantConnectedAt: seen,
  });
  expect(sourceStatus.find(({ source }: { source: string }) => source === 'agents')).toMatchObject({
    source: 'agents',
    connectedAt: '2026-01-01T00:00:00.000Z',
    lastCompleteImportAt: seen,
    ageHours: Math.floor((Date.parse(pack.metadata.generatedAt) - Date.parse(seen)) / 3_600_000),
    // An import that was complete 20 days ago says nothing about today.
    coverage: 'stale',
    gaps: [],
  });
  for (const { en, pl } of limitations) expect(en !== pl && en.endsWith('.') && pl.endsWith('.')).toBe(true);
});

test('every entry of the legend states what is measured for the article and what is not', () => {
  expect(pack.frameworks.length).toBeGreaterThan(0);
  for (const { id, coverage, coverageNote, coverageNotePl } of pack.frameworks) {
    const weight = articleWeights.get(id);
    expect({ id, coverageNote, coverageNotePl }).toEqual({
      id,
      coverageNote: weight?.why,
      coverageNotePl: weight?.whyPl,
    });
    expect(coverage, id).toBe(weight?.main.length === 0 ? 'indicator' : 'main');
  }
});
