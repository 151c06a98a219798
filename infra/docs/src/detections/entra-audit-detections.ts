import type { Detection } from './detection.ts';
import { audit, target } from './entra-records.ts';
import { attack, learn, panther, sigma } from './references.ts';

const format = 'entra.audit.graph';
const outcome = 'success';
const role = (name: string) =>
  audit('Add member to role', 'RoleManagement', {
    targetResources: [target('User', null, [['Role.DisplayName', null, JSON.stringify(name)]])],
  });
const policy = (state: string, control: string | null) =>
  JSON.stringify({
    displayName: 'Require MFA',
    state,
    conditions: { users: { includeUsers: ['All'], excludeUsers: [] } },
    ...(control === null ? {} : { grantControls: { operator: 'OR', builtInControls: [control] } }),
  });
const accessPolicy = (after: string) =>
  audit('Update conditional access policy', 'Policy', {
    loggedByService: 'Conditional Access',
    targetResources: [target('Policy', 'Require MFA', [['ConditionalAccessPolicy', policy('enabled', 'mfa'), after]])],
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
const updateUser = (name: string, before: string, after: string) =>
  audit('Update user', 'UserManagement', { targetResources: [target('User', null, [[name, before, after]])] });
const of = (activity: string, category: string, type: string, name: string | null) =>
  audit(activity, category, { targetResources: [target(type, name)] });
const routine = of('Update device', 'Device', 'Device', 'LAPTOP-12');

export const entraAuditDetections: readonly Detection[] = [
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
    match: of('Disable PIM alert', 'RoleManagement', 'Other', 'Too many global administrators'),
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
    match: of('Update role setting in PIM', 'RoleManagement', 'Role', 'Global Administrator'),
    other: of(
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
    other: of('Update application', 'ApplicationManagement', 'Application', 'payroll-export'),
  },
  {
    id: 'entra-app-owner',
    title: 'Owner added to an application',
    reason: 'An owner can add secrets to the application.',
    reference: sigma('cloud/azure/audit_logs/azure_app_owner_added'),
    query: { action: 'Add owner to application,Add owner to service principal', outcome },
    where: [],
    format,
    match: of('Add owner to application', 'ApplicationManagement', 'Application', 'payroll-export'),
    other: of('Add owner to group', 'GroupManagement', 'Group', 'Finance'),
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
  {
    id: 'entra-federation',
    title: 'Federation of a domain changed',
    reason: 'The operator of the identity provider can sign in as any user of the domain.',
    reference: sigma('cloud/azure/audit_logs/azure_federation_modified'),
    query: { action: 'Set federation settings on domain,Set domain authentication', outcome },
    where: [],
    format,
    match: of('Set federation settings on domain', 'DirectoryManagement', 'Domain', 'contoso.example'),
    other: of('Verify domain', 'DirectoryManagement', 'Domain', 'contoso.example'),
  },
  {
    id: 'entra-oidc-discovery',
    title: 'Discovery address of an identity provider changed',
    reason: 'Tokens of another identity provider become valid.',
    reference: panther('azure_signin_rules/azure_auth_methods_policy_oidc_change'),
    query: { action: 'Update authentication methods policy,Authentication Methods Policy Update', outcome },
    where: [['changes.OpenIdConnectConfiguration.after', 'contains', 'discoveryUrl']],
    format,
    match: audit('Authentication Methods Policy Update', 'Policy', {
      targetResources: [
        target('Policy', 'Authentication Methods Policy', [
          [
            'OpenIdConnectConfiguration',
            '{"discoveryUrl":"https://a.example"}',
            '{"discoveryUrl":"https://b.example"}',
          ],
        ]),
      ],
    }),
    other: audit('Authentication Methods Policy Update', 'Policy', {
      targetResources: [target('Policy', 'Authentication Methods Policy', [['Fido2', '{}', '{"state":"enabled"}']])],
    }),
  },
  {
    id: 'entra-ca-mfa-removed',
    title: 'Conditional access policy no longer requires a second factor',
    reason: 'The same policy stays in the list and protects nothing.',
    reference: panther('azure_signin_rules/azure_mfa_disabled'),
    query: { action: 'Update conditional access policy', outcome, severity: 'high,critical' },
    where: [['changes.ConditionalAccessPolicy.before', 'contains', '"mfa"']],
    format,
    match: accessPolicy(policy('enabled', null)),
    other: accessPolicy(policy('enabled', 'mfa')),
  },
  {
    id: 'entra-ca-disabled',
    title: 'Conditional access policy disabled or set to report only',
    reason: 'The policy is no longer enforced.',
    reference: sigma('cloud/azure/audit_logs/azure_aad_secops_ca_policy_updatedby_bad_actor'),
    query: { action: 'Update conditional access policy', outcome },
    where: [
      [
        'changes.ConditionalAccessPolicy.after',
        'contains',
        ['"state":"disabled"', '"state":"enabledForReportingButNotEnforced"'],
      ],
    ],
    format,
    match: accessPolicy(policy('disabled', 'mfa')),
    other: accessPolicy(policy('enabled', 'mfa')),
  },
  {
    id: 'entra-ca-deleted',
    title: 'Conditional access policy deleted',
    reason: 'A control of sign-ins is gone.',
    reference: sigma('cloud/azure/audit_logs/azure_aad_secops_ca_policy_removedby_bad_actor'),
    query: { action: 'Delete conditional access policy', outcome },
    where: [],
    format,
    match: of('Delete conditional access policy', 'Policy', 'Policy', 'Require MFA'),
    other: accessPolicy(policy('enabled', 'mfa')),
  },
  {
    id: 'entra-named-location',
    title: 'Named location changed',
    reason: 'A trusted address skips policies.',
    reference: sigma('cloud/azure/audit_logs/azure_ad_named_location_deleted_or_modified'),
    query: { action: 'Update named location,Delete named location', outcome },
    where: [],
    format,
    match: of('Update named location', 'Policy', 'Policy', 'Offices'),
    other: accessPolicy(policy('enabled', 'mfa')),
  },
  {
    id: 'entra-mfa-removed',
    title: 'Second factor removed from an account',
    reason: 'The account can be used with the password, or another factor is registered.',
    reference: sigma('cloud/azure/audit_logs/azure_change_to_authentication_method'),
    query: { action: 'Update user', outcome },
    where: [['changes.StrongAuthenticationMethod.after', 'is', '[]']],
    format,
    match: updateUser('StrongAuthenticationMethod', '[{"MethodType":6,"Default":true}]', '[]'),
    other: updateUser('StrongAuthenticationMethod', '[]', '[{"MethodType":6,"Default":true}]'),
  },
  {
    id: 'entra-mfa-registered-by-admin',
    title: 'Administrator registers a second factor for a user',
    reason: 'An attacker with an administrator adds a factor of their own.',
    reference: sigma('cloud/azure/audit_logs/azure_ad_admin_registered_mfa_method_for_user'),
    query: { action: 'Admin registered security info', outcome },
    where: [],
    format,
    match: of('Admin registered security info', 'UserManagement', 'User', null),
    other: of('User registered security info', 'UserManagement', 'User', null),
  },
  {
    id: 'entra-mfa-registered',
    title: 'User registers a second factor',
    reason: 'After a stolen password the attacker registers a factor.',
    reference: attack('T1098.005'),
    query: { action: 'User registered security info', outcome },
    where: [],
    format,
    match: of('User registered security info', 'UserManagement', 'User', null),
    other: of('User started security info registration', 'UserManagement', 'User', null),
  },
  {
    id: 'entra-temporary-pass',
    title: 'Temporary access pass created',
    reason: 'The pass replaces the password and the second factor.',
    reference: sigma('cloud/azure/audit_logs/azure_ad_temporary_access_pass_created'),
    query: { action: 'Admin registered security info', outcome },
    where: [['outcomeReason', 'contains', 'temporary access pass']],
    format,
    match: audit('Admin registered security info', 'UserManagement', {
      resultReason: 'Admin registered temporary access pass method for user',
      targetResources: [target('User', null)],
    }),
    other: audit('Admin registered security info', 'UserManagement', {
      resultReason: 'Admin registered phone method for user',
      targetResources: [target('User', null)],
    }),
  },
  {
    id: 'entra-password-reset',
    title: 'Administrator resets a password',
    reason: 'With a helpdesk role an attacker takes over accounts.',
    reference: attack('T1098'),
    query: { action: 'Reset password (by admin),Reset user password', outcome },
    where: [['targets.type', 'is', 'User']],
    format,
    match: of('Reset password (by admin)', 'UserManagement', 'User', null),
    other: of('Change password (self-service)', 'UserManagement', 'User', null),
  },
  {
    id: 'entra-guest-invited',
    title: 'Guest invited',
    reason: 'An external person gets an account.',
    reference: panther('azure_signin_rules/azure_invite_external_users'),
    query: { action: 'Invite external user', outcome },
    where: [],
    format,
    match: of('Invite external user', 'UserManagement', 'User', 'eve_fabrikam.example#EXT#'),
    other: of('Add user', 'UserManagement', 'User', 'Bob'),
  },
  {
    id: 'entra-guest-to-member',
    title: 'Guest becomes a member',
    reason: 'An external account gets the rights of employees.',
    reference: sigma('cloud/azure/audit_logs/azure_guest_to_member'),
    query: { action: 'Update user', outcome },
    where: [
      ['changes.UserType.before', 'contains', 'Guest'],
      ['changes.UserType.after', 'contains', 'Member'],
    ],
    format,
    match: updateUser('UserType', '["Guest"]', '["Member"]'),
    other: updateUser('UserType', '["Member"]', '["Guest"]'),
  },
  {
    id: 'entra-cross-tenant',
    title: 'Cross-tenant access changed',
    reason: 'Another organization may send users or trust its own second factors.',
    reference: sigma('cloud/azure/audit_logs/azure_ad_cross_tenant_access_setting_modified'),
    query: {
      action: 'Add a partner to cross-tenant access setting,Update a partner cross-tenant access setting',
      outcome,
    },
    where: [],
    format,
    match: of('Add a partner to cross-tenant access setting', 'CrossTenantAccessSettings', 'Policy', null),
    other: routine,
  },
  {
    id: 'entra-bitlocker-key',
    title: 'BitLocker key read',
    reason: 'The key opens the disk of a stolen device.',
    reference: sigma('cloud/azure/audit_logs/azure_ad_bitlocker_key_retrieval'),
    query: { action: 'Read BitLocker key', outcome },
    where: [],
    format,
    match: of('Read BitLocker key', 'KeyManagement', 'Device', 'LAPTOP-12'),
    other: routine,
  },
  {
    id: 'entra-laps-password',
    title: 'Local administrator password read',
    reason: 'The password moves an attacker to other devices.',
    reference: sigma('cloud/azure/audit_logs/azure_auditlogs_laps_credential_dumping'),
    query: { action: 'Recover device local administrator password', outcome },
    where: [],
    format,
    match: of('Recover device local administrator password', 'Device', 'Device', 'LAPTOP-12'),
    other: routine,
  },
  {
    id: 'entra-certificate-authority',
    title: 'Root certificate added for certificate-based authentication',
    reason: 'The owner of the authority can sign in as any user.',
    reference: sigma('cloud/azure/audit_logs/azure_ad_new_root_ca_added'),
    query: { action: 'Set Company Information', outcome },
    where: [['changes.TrustedCAsForPasswordlessAuth.after', 'isPresent', true]],
    format,
    match: audit('Set Company Information', 'DirectoryManagement', {
      targetResources: [target('Directory', 'contoso', [['TrustedCAsForPasswordlessAuth', '[]', '[{"Authority":1}]']])],
    }),
    other: audit('Set Company Information', 'DirectoryManagement', {
      targetResources: [target('Directory', 'contoso', [['DisplayName', '"a"', '"b"']])],
    }),
  },
  {
    id: 'entra-elevate-access',
    title: 'Global Administrator gains access to all Azure subscriptions',
    reason: 'The step from the directory to resources.',
    reference: panther('azure_signin_rules/azure_elevate_user_access_admin'),
    query: { action: 'User has elevated their access to User Access Administrator for their Azure Resources', outcome },
    where: [],
    format,
    match: of(
      'User has elevated their access to User Access Administrator for their Azure Resources',
      'AzureRBACRoleManagementElevateAccess',
      'Other',
      null,
    ),
    other: routine,
  },
];
