import { panther, sigma } from '@tenantscope/intake/references';
import type { Detection } from './detection.ts';
import { audit, auditOf, target } from './entra-records.ts';

const format = 'entra.audit.graph';
const outcome = 'success';
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

export const entraPolicyDetections: readonly Detection[] = [
  {
    id: 'entra-federation',
    title: 'Federation of a domain changed',
    reason: 'The operator of the identity provider can sign in as any user of the domain.',
    reference: sigma('cloud/azure/audit_logs/azure_federation_modified'),
    query: { action: 'Set federation settings on domain,Set domain authentication', outcome },
    where: [],
    format,
    match: auditOf('Set federation settings on domain', 'DirectoryManagement', 'Domain', 'contoso.example'),
    other: auditOf('Verify domain', 'DirectoryManagement', 'Domain', 'contoso.example'),
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
    match: auditOf('Delete conditional access policy', 'Policy', 'Policy', 'Require MFA'),
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
    match: auditOf('Update named location', 'Policy', 'Policy', 'Offices'),
    other: accessPolicy(policy('enabled', 'mfa')),
  },
];
