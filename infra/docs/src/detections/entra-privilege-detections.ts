import { attack, learn, panther, sigma } from '@tenantscope/intake/references';
import type { Detection } from './detection.ts';
import { audit, auditOf, target } from './entra-records.ts';

const format = 'entra.audit.graph';
const outcome = 'success';
const role = (name: string) =>
  audit('Add member to role', 'RoleManagement', {
    targetResources: [target('User', null, [['Role.DisplayName', null, JSON.stringify(name)]])],
  });
const consent = (isAdmin: string, permissions: string) =>
  audit('Consent to application', 'ApplicationManagement', {
    targetResources: [
      target('ServicePrincipal', 'Mail Merge Pro', [
        ['ConsentContext.IsAdminConsent', null, JSON.stringify(isAdmin)],
        ['ConsentAction.Permissions', null, JSON.stringify(`[] => [[Id: x, Scope: ${permissions}]]; `)],
      ]),
    ],
  });
const routine = auditOf('Update device', 'Device', 'Device', 'LAPTOP-12');

export const entraPrivilegeDetections: readonly Detection[] = [
  {
    id: 'entra-global-administrator',
    title: 'Global Administrator assigned',
    reason: 'The role may do everything, including granting itself to others.',
    reference: attack('T1098.003'),
    query: { action: 'Add member to role', outcome },
    where: [['changes.Role.DisplayName.after', 'is', 'Global Administrator']],
    format,
    match: role('Global Administrator'),
    other: role('Reports Reader'),
  },
  {
    id: 'entra-privileged-role',
    title: 'Role that takes over accounts or applications assigned',
    reason: 'Application and authentication administrators become Global Administrator in one step.',
    reference: learn('entra/identity/role-based-access-control/privileged-roles-permissions'),
    query: { action: 'Add member to role,Add eligible member to role', outcome },
    where: [
      [
        'changes.Role.DisplayName.after',
        'is',
        ['Privileged Role Administrator', 'Application Administrator', 'Privileged Authentication Administrator'],
      ],
    ],
    format,
    match: role('Privileged Authentication Administrator'),
    other: role('Message Center Reader'),
  },
  {
    id: 'entra-pim-permanent',
    title: 'Permanent role assignment in PIM',
    reason: 'A permanent assignment circumvents activation.',
    reference: panther('azure_signin_rules/azure_role_changed_pim'),
    query: { action: 'Add member to role in PIM completed (permanent)', outcome },
    where: [['targets.type', 'is', 'Role']],
    format,
    match: audit('Add member to role in PIM completed (permanent)', 'RoleManagement', {
      loggedByService: 'PIM',
      targetResources: [target('Role', 'Security Administrator'), target('User', null)],
    }),
    other: audit('Add member to role in PIM completed (timebound)', 'RoleManagement', {
      loggedByService: 'PIM',
      targetResources: [target('Role', 'Security Administrator'), target('User', null)],
    }),
  },
  {
    id: 'entra-pim-alert-disabled',
    title: 'PIM alert disabled',
    reason: 'Misuse of privileged roles is no longer reported.',
    reference: sigma('cloud/azure/audit_logs/azure_pim_alerts_disabled'),
    query: { action: 'Disable PIM alert', outcome },
    where: [],
    format,
    match: auditOf('Disable PIM alert', 'RoleManagement', 'Other', 'Too many global administrators'),
    other: routine,
  },
  {
    id: 'entra-pim-settings',
    title: 'Settings of a role changed in PIM',
    reason: 'Approval or a second factor at activation may be gone.',
    reference: sigma('cloud/azure/audit_logs/azure_pim_change_settings'),
    query: { action: 'Update role setting in PIM', outcome },
    where: [],
    format,
    match: auditOf('Update role setting in PIM', 'RoleManagement', 'Role', 'Global Administrator'),
    other: auditOf(
      'Add eligible member to role in PIM requested (timebound)',
      'RoleManagement',
      'Role',
      'Global Administrator',
    ),
  },
  {
    id: 'entra-admin-consent',
    title: 'Administrator consents for the organization',
    reason: 'The application may use the permission for every user.',
    reference: sigma('cloud/azure/audit_logs/azure_ad_admin_consent_application_high_risk_permission'),
    query: { action: 'Consent to application', outcome },
    where: [['changes.ConsentContext.IsAdminConsent.after', 'is', 'True']],
    format,
    match: consent('True', 'User.Read'),
    other: consent('False', 'User.Read'),
  },
  {
    id: 'entra-consent-mail',
    title: 'User consents to an application that reads mail',
    reason: 'Consent phishing needs no password and survives its reset.',
    reference: sigma('cloud/azure/audit_logs/azure_app_end_user_consent_mailbox_offline_scopes'),
    query: { action: 'Consent to application', outcome },
    where: [['changes.ConsentAction.Permissions.after', 'contains', ['Mail.Read', 'Mail.Send', 'Files.Read']]],
    format,
    match: consent('False', 'Mail.Read offline_access'),
    other: consent('False', 'openid profile'),
  },
  {
    id: 'entra-consent-blocked',
    title: 'Consent to a risky application blocked',
    reason: 'A user followed a consent phishing link.',
    reference: sigma('cloud/azure/audit_logs/azure_app_end_user_consent_blocked'),
    query: { action: 'Consent to application', outcome: 'failure' },
    where: [['outcomeReason', 'contains', 'risky application']],
    format,
    match: audit('Consent to application', 'ApplicationManagement', {
      result: 'failure',
      resultReason: 'Risky application detected',
      targetResources: [target('ServicePrincipal', 'Mail Merge Pro')],
    }),
    other: audit('Consent to application', 'ApplicationManagement', {
      result: 'failure',
      resultReason: 'User canceled',
      targetResources: [target('ServicePrincipal', 'Mail Merge Pro')],
    }),
  },
  {
    id: 'entra-app-permission',
    title: 'Application permission over mail or the directory granted',
    reason: 'The application needs no user to read all mailboxes or to assign roles.',
    reference: sigma('cloud/azure/audit_logs/azure_app_privileged_permissions'),
    query: { action: 'Add app role assignment to service principal', outcome },
    where: [
      ['changes.AppRole.Value.after', 'is', ['RoleManagement.ReadWrite.Directory', 'Mail.Read', 'full_access_as_app']],
    ],
    format,
    match: audit('Add app role assignment to service principal', 'ApplicationManagement', {
      targetResources: [
        target('ServicePrincipal', 'Microsoft Graph', [
          ['AppRole.Value', null, '"RoleManagement.ReadWrite.Directory"'],
        ]),
      ],
    }),
    other: audit('Add app role assignment to service principal', 'ApplicationManagement', {
      targetResources: [target('ServicePrincipal', 'Microsoft Graph', [['AppRole.Value', null, '"User.Read.All"']])],
    }),
  },
  {
    id: 'entra-app-credential',
    title: 'Secret or certificate added to an application',
    reason: 'The holder of the secret can sign in as the application.',
    reference: sigma('cloud/azure/audit_logs/azure_app_credential_added'),
    query: {
      action: 'Update application – Certificates and secrets management,Add service principal credentials',
      outcome,
    },
    where: [],
    format,
    match: audit('Update application – Certificates and secrets management ', 'ApplicationManagement', {
      targetResources: [
        target('Application', 'payroll-export', [
          ['KeyDescription', '[]', '["[KeyIdentifier=1,KeyType=Password,KeyUsage=Verify,DisplayName=x]"]'],
        ]),
      ],
    }),
    other: auditOf('Update application', 'ApplicationManagement', 'Application', 'payroll-export'),
  },
  {
    id: 'entra-app-owner',
    title: 'Owner added to an application',
    reason: 'An owner can add secrets to the application.',
    reference: sigma('cloud/azure/audit_logs/azure_app_owner_added'),
    query: { action: 'Add owner to application,Add owner to service principal', outcome },
    where: [],
    format,
    match: auditOf('Add owner to application', 'ApplicationManagement', 'Application', 'payroll-export'),
    other: auditOf('Add owner to group', 'GroupManagement', 'Group', 'Finance'),
  },
  {
    id: 'entra-app-redirect',
    title: 'Reply address of an application changed',
    reason: 'Tokens are sent to another address.',
    reference: sigma('cloud/azure/audit_logs/azure_app_uri_modifications'),
    query: { action: 'Update application', outcome },
    where: [['changes.AppAddress.after', 'isPresent', true]],
    format,
    match: audit('Update application', 'ApplicationManagement', {
      targetResources: [
        target('Application', 'payroll-export', [
          ['AppAddress', '[]', '[{"AddressType":0,"Address":"https://login.fabrikam.example/cb"}]'],
        ]),
      ],
    }),
    other: audit('Update application', 'ApplicationManagement', {
      targetResources: [target('Application', 'payroll-export', [['DisplayName', '"a"', '"b"']])],
    }),
  },
];
