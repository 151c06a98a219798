import { timeOf } from '../../field/time.ts';
import { booleanOf, listOf, objectOf, textOf } from '../../json/value.ts';
import { moment, oneOf, riskLevelOf, riskStateOf, type SourceFormat, sourceObject } from '../source-object.ts';

export const graphUser: SourceFormat = (record) => {
  const signIns = objectOf(record.signInActivity);
  const userType = oneOf(['member', 'guest'], textOf(record.userType));
  const externalUserState = oneOf(['pendingAcceptance', 'accepted'], textOf(record.externalUserState));
  const licenses = record.assignedLicenses === undefined ? null : listOf(record.assignedLicenses);
  const skus = licenses?.map((license) => textOf(objectOf(license).skuId)).filter((sku) => sku !== null) ?? null;
  return [
    sourceObject(record, {
      kind: 'user',
      id: textOf(record.id),
      names: [
        textOf(record.userPrincipalName),
        textOf(record.mail),
        textOf(record.securityIdentifier),
        textOf(record.onPremisesSecurityIdentifier),
      ],
      facts: {
        displayName: textOf(record.displayName),
        userPrincipalName: textOf(record.userPrincipalName),
        mail: textOf(record.mail),
        userType,
        accountEnabled: booleanOf(record.accountEnabled),
        isExternal: userType === null ? null : userType === 'guest',
        externalUserState,
        department: textOf(record.department),
        jobTitle: textOf(record.jobTitle),
        companyName: textOf(record.companyName),
        country: textOf(record.country),
        managerId: textOf(objectOf(record.manager).id),
        managerName: textOf(objectOf(record.manager).displayName),
        // The first says more: a failed attempt is no sign-in.
        lastSignInAt: moment(signIns.lastSuccessfulSignInDateTime) ?? moment(signIns.lastSignInDateTime),
        lastNonInteractiveSignInAt: moment(signIns.lastNonInteractiveSignInDateTime),
        licenseSkus: skus,
        hasCopilotLicense: skus?.some((sku) => sku.toLowerCase() === copilotSku) ?? null,
        proxyAddresses: record.proxyAddresses === undefined ? null : listOf(record.proxyAddresses).map(textOf),
        employeeType: textOf(record.employeeType),
        usageLocation: textOf(record.usageLocation),
        onPremisesSyncEnabled: booleanOf(record.onPremisesSyncEnabled),
        lastPasswordChangeAt: moment(record.lastPasswordChangeDateTime),
        aliases: { puid: null, sid: textOf(record.securityIdentifier), googleId: null },
        createdAt: moment(record.createdDateTime),
      },
    }),
  ];
};

/** A user that is gone from Identity Protection may well exist: `isDeleted` deletes nothing here. */
export const graphRiskyUser: SourceFormat = (record) => [
  sourceObject(record, {
    kind: 'user',
    id: textOf(record.id),
    ending: 'live',
    modifiedAtMs: timeOf(record.riskLastUpdatedDateTime),
    names: [textOf(record.userPrincipalName)],
    facts: {
      displayName: textOf(record.userDisplayName),
      userPrincipalName: textOf(record.userPrincipalName),
      riskLevel: riskLevelOf(textOf(record.riskLevel)),
      riskState: riskStateOf(textOf(record.riskState)),
      riskUpdatedAt: moment(record.riskLastUpdatedDateTime),
    },
  }),
];

/** Microsoft 365 Copilot. */
const copilotSku = '639dec6b-bb19-468b-871c-c5c441c4b0cb';
