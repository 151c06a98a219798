import { booleanOf, type JsonObject, listOf, objectOf, textOf } from '../../json/value.ts';
import { moment, oneOf, type SourceFormat, sourceObject } from '../source-object.ts';

export const graphGroup: SourceFormat = (record) => {
  const types = listOf(record.groupTypes).map(textOf);
  const owners = record.owners === undefined ? null : listOf(record.owners).map(reference);
  const members = record.members === undefined ? null : listOf(record.members).map(reference);
  const provisioned = record.resourceProvisioningOptions;
  return [
    sourceObject(record, {
      kind: 'group',
      id: textOf(record.id),
      names: [textOf(record.mail), textOf(record.securityIdentifier)],
      facts: {
        displayName: textOf(record.displayName),
        description: textOf(record.description),
        mail: textOf(record.mail),
        groupType: types.includes('Unified') ? 'microsoft365' : plainTypeOf(record),
        membershipType:
          record.groupTypes === undefined ? null : types.includes('DynamicMembership') ? 'dynamic' : 'assigned',
        visibility: oneOf(['private', 'public', 'hiddenMembership'], textOf(record.visibility)),
        isTeam: provisioned === undefined ? null : listOf(provisioned).includes('Team'),
        isRoleAssignable: booleanOf(record.isAssignableToRole),
        memberCount: members?.length ?? null,
        ownerCount: owners?.length ?? null,
        hasNoOwner: owners && owners.length === 0,
        sensitivityLabelName: textOf(objectOf(listOf(record.assignedLabels)[0]).displayName),
        expiresAt: moment(record.expirationDateTime),
        owners,
        members,
        membershipRule: textOf(record.membershipRule),
        createdAt: moment(record.createdDateTime),
      },
    }),
  ];
};

function plainTypeOf({ mailEnabled, securityEnabled }: JsonObject): string | null {
  if (booleanOf(mailEnabled)) return booleanOf(securityEnabled) ? 'mailEnabledSecurity' : 'distribution';
  return booleanOf(securityEnabled) ? 'security' : null;
}

function reference(entry: unknown): JsonObject {
  const { id, displayName, userPrincipalName, '@odata.type': type } = objectOf(entry as JsonObject);
  const name = textOf(displayName) ?? textOf(userPrincipalName);
  return { id: textOf(id), name, type: textOf(type)?.replace('#microsoft.graph.', '') ?? null };
}
