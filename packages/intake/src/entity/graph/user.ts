import { toEpochMs } from '../../field/time.ts';
import { toBoolean, toList, toObject, toText } from '../../json/value.ts';
import { listAddresses } from '../aliases.ts';
import {
  matchValue,
  type SourceReader,
  sourceObject,
  toRiskLevel,
  toRiskState,
  toServedTime,
} from '../source-object.ts';

export const graphUser: SourceReader = (record) => {
  const signIns = toObject(record.signInActivity);
  const userType = matchValue(['member', 'guest'], toText(record.userType));
  const externalUserState = matchValue(['pendingAcceptance', 'accepted'], toText(record.externalUserState));
  const licenses = record.assignedLicenses === undefined ? null : toList(record.assignedLicenses);
  const skus = licenses?.map((license) => toText(toObject(license).skuId)).filter((sku) => sku !== null) ?? null;
  return [
    sourceObject(record, {
      kind: 'user',
      id: toText(record.id),
      names: [
        toText(record.userPrincipalName),
        toText(record.mail),
        toText(record.securityIdentifier),
        toText(record.onPremisesSecurityIdentifier),
        ...listAddresses(record.proxyAddresses),
        ...listAddresses(record.otherMails),
      ],
      facts: {
        displayName: toText(record.displayName),
        userPrincipalName: toText(record.userPrincipalName),
        mail: toText(record.mail),
        userType,
        accountEnabled: toBoolean(record.accountEnabled),
        isExternal: userType === null ? null : userType === 'guest',
        externalUserState,
        department: toText(record.department),
        jobTitle: toText(record.jobTitle),
        companyName: toText(record.companyName),
        country: toText(record.country),
        managerId: toText(toObject(record.manager).id),
        managerName: toText(toObject(record.manager).displayName),
        // The first is more precise: a failed attempt is not a sign-in.
        lastSignInAt: toServedTime(signIns.lastSuccessfulSignInDateTime) ?? toServedTime(signIns.lastSignInDateTime),
        lastNonInteractiveSignInAt: toServedTime(signIns.lastNonInteractiveSignInDateTime),
        licenseSkus: skus,
        hasCopilotLicense: skus?.some((sku) => sku.toLowerCase() === copilotSku) ?? null,
        proxyAddresses: record.proxyAddresses === undefined ? null : toList(record.proxyAddresses).map(toText),
        employeeType: toText(record.employeeType),
        usageLocation: toText(record.usageLocation),
        onPremisesSyncEnabled: toBoolean(record.onPremisesSyncEnabled),
        lastPasswordChangeAt: toServedTime(record.lastPasswordChangeDateTime),
        aliases: { puid: null, sid: toText(record.securityIdentifier), googleId: null, oktaId: null },
        createdAt: toServedTime(record.createdDateTime),
      },
    }),
  ];
};

/** A user removed from Identity Protection may still exist: `isDeleted` deletes nothing here. */
export const graphRiskyUser: SourceReader = (record) => [
  sourceObject(record, {
    kind: 'user',
    id: toText(record.id),
    lifecycle: 'live',
    modifiedAtMs: toEpochMs(record.riskLastUpdatedDateTime),
    names: [toText(record.userPrincipalName)],
    facts: {
      displayName: toText(record.userDisplayName),
      userPrincipalName: toText(record.userPrincipalName),
      riskLevel: toRiskLevel(toText(record.riskLevel)),
      riskState: toRiskState(toText(record.riskState)),
      riskUpdatedAt: toServedTime(record.riskLastUpdatedDateTime),
    },
  }),
];

/** Microsoft 365 Copilot. */
const copilotSku = '639dec6b-bb19-468b-871c-c5c441c4b0cb';
