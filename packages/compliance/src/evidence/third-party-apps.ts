import type { Json, JsonObject } from '@tenantscope/proof';
import { readThirdPartyApps, type ThirdPartyApp } from '@tenantscope/store';
import { accountableOf } from './accountable.ts';
import { decisionOf } from './decision.ts';
import { newestOf, type SectionReader } from './section.ts';
import { toldCount, toldFlag, toldText, toldTime, toldValue, toldWord } from './told-value.ts';

const aiCategories = ['assistant', 'agentPlatform', 'plugin', 'modelProvider', 'aiFeature'] as const;

export const thirdPartyApps: SectionReader = {
  key: 'third_party_apps',
  async read(reading, page) {
    const { rows, totalRowCount } = await readThirdPartyApps(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: newestOf(rows) };
  },
};

function rowOf(app: ThirdPartyApp): JsonObject {
  const { facts } = app;
  return {
    appId: app.appId,
    clientId: toldText(facts.appId),
    appName: app.appName,
    publisher: {
      name: toldText(facts.verifiedPublisherName) ?? toldText(facts.publisher),
      verified: toldFlag(facts.isVerifiedPublisher),
      verifiedPublisherId: toldText(facts.verifiedPublisherId),
      homeTenantId: toldText(facts.homeTenantId),
    },
    permissionCount: sum(facts.delegatedPermissionCount, facts.applicationPermissionCount, facts.resourceGrantCount),
    grantsByResource: toldValue(facts.permissions ?? {}),
    tenantWide: toldFlag(facts.hasTenantWideReach),
    writeAccess: toldFlag(facts.hasWriteAccess),
    adminConsent: toldFlag(facts.hasAdminConsent),
    aiClassification: facts.isAiApp === true ? toldWord(facts.aiCategory, aiCategories, null) : null,
    usersWithAccess: toldCount(facts.userCount) ?? toldCount(facts.userConsentCount),
    lastUsedAt: toldTime(facts.lastSignInAt),
    signInAudience: toldText(facts.signInAudience),
    credentialExpiry: toldTime(facts.nextCredentialExpiryAt),
    accountable: accountableOf(app),
    ictServiceType: toldText(facts.ictServiceType),
    contractRef: toldText(facts.contractRef),
    providerCode: providerOf(facts.providerCode),
    decision: decisionOf(app.decision),
  };
}

/** Of the counts that are known. */
const sum = (...counts: readonly unknown[]): number =>
  counts.reduce<number>((total, count) => total + (toldCount(count) ?? 0), 0);

function providerOf(told: unknown): Json {
  if (typeof told !== 'object' || told === null) return null;
  const { code, codeType } = told as { code?: unknown; codeType?: unknown };
  return { code: toldText(code), codeType: toldText(codeType) };
}
