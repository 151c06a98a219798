import type { Json, JsonObject } from '@tenantscope/proof';
import { readThirdPartyApps, type ThirdPartyApp } from '@tenantscope/store/compliance';
import { findNewestStamp, type SectionReader } from '../section-reader.ts';
import { toAccountable } from '../values/accountable.ts';
import { toDecision } from '../values/decision.ts';
import { toCount, toEnumValue, toFlag, toIsoTime, toJsonValue, toText } from '../values/reported-value.ts';

const aiCategories = ['assistant', 'agentPlatform', 'plugin', 'modelProvider', 'aiFeature'] as const;

export const thirdPartyApps: SectionReader = {
  key: 'third_party_apps',
  async read(reading, page) {
    const { rows, totalRowCount } = await readThirdPartyApps(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: findNewestStamp(rows) };
  },
};

function toRow(app: ThirdPartyApp): JsonObject {
  const { facts } = app;
  return {
    appId: app.appId,
    clientId: toText(facts.appId),
    appName: app.appName,
    publisher: {
      name: toText(facts.verifiedPublisherName) ?? toText(facts.publisher),
      verified: toFlag(facts.isVerifiedPublisher),
      verifiedPublisherId: toText(facts.verifiedPublisherId),
      homeTenantId: toText(facts.homeTenantId),
    },
    permissionCount: sumCounts(
      facts.delegatedPermissionCount,
      facts.applicationPermissionCount,
      facts.resourceGrantCount,
    ),
    grantsByResource: toJsonValue(facts.permissions ?? {}),
    tenantWide: toFlag(facts.hasTenantWideReach),
    writeAccess: toFlag(facts.hasWriteAccess),
    adminConsent: toFlag(facts.hasAdminConsent),
    aiClassification: facts.isAiApp === true ? toEnumValue(facts.aiCategory, aiCategories, null) : null,
    usersWithAccess: toCount(facts.userCount) ?? toCount(facts.userConsentCount),
    lastUsedAt: toIsoTime(facts.lastSignInAt),
    signInAudience: toText(facts.signInAudience),
    credentialExpiry: toIsoTime(facts.nextCredentialExpiryAt),
    accountable: toAccountable(app),
    ictServiceType: toText(facts.ictServiceType),
    contractRef: toText(facts.contractRef),
    providerCode: readProvider(facts.providerCode),
    decision: toDecision(app.decision),
  };
}

/** The sum of the reported counts; null where none is. */
function sumCounts(...counts: readonly unknown[]): number | null {
  const reported = counts.flatMap((count) => toCount(count) ?? []);
  return reported.length === 0 ? null : reported.reduce((total, count) => total + count, 0);
}

function readProvider(reported: unknown): Json {
  if (typeof reported !== 'object' || reported === null) return null;
  const { code, codeType } = reported as { code?: unknown; codeType?: unknown };
  return { code: toText(code), codeType: toText(codeType) };
}
