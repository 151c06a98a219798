import { type JsonObject, toBoolean, toList, toObject, toText } from '../../json/value.ts';
import { matchValue, type SourceReader, sourceObject, toServedTime } from '../source-object.ts';

export const graphGroup: SourceReader = (record) => {
  const types = toList(record.groupTypes).map(toText);
  const owners = record.owners === undefined ? null : toList(record.owners).map(toReference);
  const members = record.members === undefined ? null : toList(record.members).map(toReference);
  const provisioned = record.resourceProvisioningOptions;
  return [
    sourceObject(record, {
      kind: 'group',
      id: toText(record.id),
      names: [toText(record.mail), toText(record.securityIdentifier)],
      facts: {
        displayName: toText(record.displayName),
        description: toText(record.description),
        mail: toText(record.mail),
        groupType: types.includes('Unified') ? 'microsoft365' : readPlainType(record),
        membershipType:
          record.groupTypes === undefined ? null : types.includes('DynamicMembership') ? 'dynamic' : 'assigned',
        visibility: matchValue(['private', 'public', 'hiddenMembership'], toText(record.visibility)),
        isTeam: provisioned === undefined ? null : toList(provisioned).includes('Team'),
        isRoleAssignable: toBoolean(record.isAssignableToRole),
        memberCount: members?.length ?? null,
        ownerCount: owners?.length ?? null,
        hasNoOwner: owners && owners.length === 0,
        sensitivityLabelName: toText(toObject(toList(record.assignedLabels)[0]).displayName),
        expiresAt: toServedTime(record.expirationDateTime),
        owners,
        members,
        membershipRule: toText(record.membershipRule),
        createdAt: toServedTime(record.createdDateTime),
      },
    }),
  ];
};

function readPlainType({ mailEnabled, securityEnabled }: JsonObject): string | null {
  if (toBoolean(mailEnabled)) return toBoolean(securityEnabled) ? 'mailEnabledSecurity' : 'distribution';
  return toBoolean(securityEnabled) ? 'security' : null;
}

function toReference(entry: unknown): JsonObject {
  const { id, displayName, userPrincipalName, '@odata.type': type } = toObject(entry as JsonObject);
  const name = toText(displayName) ?? toText(userPrincipalName);
  return { id: toText(id), name, type: toText(type)?.replace('#microsoft.graph.', '') ?? null };
}
