import type { Severity } from '@tenantscope/contract';
import * as condition from './conditions.ts';
import type { SeverityInput } from './severity-input.ts';

/** Incremented with every change of the table below, together with `normaliserVersion`. */
export const severityRulesVersion = 2;

export interface SeverityRule {
  readonly severity: Severity;
  /** The provider's names; matched case-insensitively and without a full stop at the end. */
  readonly actions: readonly string[];
  readonly when?: (input: SeverityInput) => boolean;
}

/** The most severe rule that applies wins; the order within one severity does not matter. */
export const severityRules: readonly SeverityRule[] = [
  {
    severity: 'critical',
    actions: ['Set federation settings on domain', 'Set domain authentication'],
  },
  {
    severity: 'critical',
    actions: ['Set-AdminAuditLogConfig', 'Set-OrganizationConfig'],
    when: condition.stopsAuditing,
  },
  {
    severity: 'critical',
    actions: [
      'Add member to role',
      'Add eligible member to role',
      'Add member to role in PIM completed (permanent)',
      'Add member to role in PIM completed (timebound)',
      'Add scoped member to role',
    ],
    when: condition.grantsGlobalAdministrator,
  },
  { severity: 'critical', actions: ['FileMalwareDetected', 'gov_attack_warning'] },

  { severity: 'high', actions: ['Consent to application'], when: condition.isAdminConsent },
  {
    severity: 'high',
    actions: [
      'Add service principal credentials',
      'Update application – Certificates and secrets management',
      'Update application - Certificates and secrets management',
    ],
  },
  {
    severity: 'high',
    actions: ['New-InboxRule', 'Set-InboxRule', 'Enable-InboxRule', 'UpdateInboxRules', 'Set-Mailbox'],
    when: condition.forwardsOutside,
  },
  {
    severity: 'high',
    actions: [
      'New-TransportRule',
      'Set-TransportRule',
      'Enable-TransportRule',
      'Disable-TransportRule',
      'Remove-TransportRule',
    ],
  },
  { severity: 'high', actions: ['Add-MailboxPermission'], when: condition.grantsFullAccessToAnother },
  { severity: 'high', actions: ['Set-MailboxAuditBypassAssociation', 'Set-Mailbox'], when: condition.hidesMailbox },
  {
    severity: 'high',
    actions: ['CopilotInteraction', 'AIAppInteraction', 'ConnectedAIAppInteraction', 'TeamCopilotInteraction'],
    when: condition.detectsAttackOnModel,
  },
  { severity: 'high', actions: ['Delete conditional access policy', 'Disable Strong Authentication'] },
  {
    severity: 'high',
    actions: [
      'GRANT_ADMIN_PRIVILEGE',
      'ADD_TRUSTED_DOMAINS',
      'AUTHORIZE_API_CLIENT_ACCESS',
      'email_forwarding_out_of_domain',
    ],
  },
  {
    severity: 'high',
    actions: ['suspicious_login', 'suspicious_login_less_secure_app', 'suspicious_programmatic_login'],
  },

  {
    severity: 'medium',
    actions: [
      'AnonymousLinkCreated',
      'AnonymousLinkUpdated',
      'SharingInvitationCreated',
      'CompanyLinkCreated',
      'Invite external user',
      'Invite Internal User',
    ],
  },
  { severity: 'medium', actions: ['AddedToSecureLink', 'SharingSet', 'AddedToGroup'], when: condition.targetsGuest },
  {
    severity: 'medium',
    actions: ['change_user_access', 'change_document_visibility', 'change_document_access_scope', 'change_acl_editors'],
    when: condition.sharesOutside,
  },
  { severity: 'medium', actions: ['DlpRuleUndo'] },
  {
    severity: 'medium',
    actions: [
      'Add member to role',
      'Add eligible member to role',
      'Add member to role in PIM completed (permanent)',
      'Add member to role in PIM completed (timebound)',
      'Add scoped member to role',
      'Remove member from role',
      'Add member to group',
      'Remove member from group',
      'Add owner to group',
      'Remove owner from group',
      'Add group',
      'Update group',
      'Delete group',
      'SiteCollectionAdminAdded',
    ],
    when: condition.isNotSystem,
  },
  {
    severity: 'medium',
    actions: [
      'Consent to application',
      'Add app role assignment to service principal',
      'Add delegated permission grant',
      'Add owner to application',
      'Add owner to service principal',
      'Add conditional access policy',
      'Update conditional access policy',
      'Authentication Methods Policy Update',
      'Update authentication methods policy',
    ],
  },
  { severity: 'medium', actions: ['UserLoginFailed', 'Sign-in activity'], when: condition.isLockedOut },
  {
    severity: 'medium',
    actions: [
      'ASSIGN_ROLE',
      'CREATE_ROLE',
      'ADD_APPLICATION',
      'CUSTOMER_TAKEOUT_CREATED',
      'CUSTOMER_TAKEOUT_SUCCEEDED',
      'account_disabled_generic',
      'account_disabled_hijacked',
      'account_disabled_password_leak',
      'account_disabled_spamming',
      'account_disabled_spamming_through_relay',
      '2sv_disable',
      'titanium_unenroll',
    ],
  },

  {
    severity: 'low',
    actions: [
      'UserLoginFailed',
      'Sign-in activity',
      'PasswordLogonInitialAuthUsingPassword',
      'login_failure',
      'login_challenge',
      'login_verification',
      'user.session.start',
      'user.authentication.sso',
      'user.authentication.verify',
      'user.authentication.authenticate',
      'user.authentication.auth_via_mfa',
      'user.authentication.auth_via_IDP',
      'user.authentication.auth_via_social',
      'user.authentication.auth_via_radius',
      'user.authentication.auth_via_AD_agent',
      'policy.evaluate_sign_on',
    ],
    when: condition.isFailed,
  },
];
