import { attack, elastic, sigma } from '../references.ts';
import type { SeverityRule } from '../severity-rule.ts';
import * as condition from '../suite-conditions.ts';

const inboxRules = ['New-InboxRule', 'Set-InboxRule', 'Enable-InboxRule', 'UpdateInboxRules'];

/** Cmdlets and mailbox events of Exchange Online. */
export const exchangeRules: readonly SeverityRule[] = [
  {
    severity: 'critical',
    actions: ['Set-AdminAuditLogConfig', 'Set-OrganizationConfig'],
    when: condition.stopsAuditing,
    reason: 'nothing that follows is recorded',
    source: attack('T1562.008'),
  },
  {
    severity: 'high',
    actions: [...inboxRules, 'Set-Mailbox'],
    when: condition.forwardsOutside,
    reason: 'mail is sent outside the organization',
    source: sigma('cloud/m365/audit/m365_audit_inbox_rule_external_forward'),
  },
  {
    severity: 'medium',
    actions: inboxRules,
    when: condition.hidesMessages,
    reason: 'messages are deleted or moved where the owner does not look',
    source: elastic('o365/defense_evasion_exchange_new_inbox_rule_delete_or_move'),
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
    reason: 'mail of the whole organization is copied, changed or exempted from filters',
    source: elastic('o365/exfiltration_exchange_transport_rule_creation'),
  },
  {
    severity: 'high',
    actions: [
      'New-JournalRule',
      'Set-JournalRule',
      'Set-RemoteDomain',
      'New-InboundConnector',
      'New-OutboundConnector',
    ],
    reason: 'mail of the whole organization is copied or routed elsewhere',
    source: attack('T1114.003'),
  },
  {
    severity: 'high',
    actions: ['Add-MailboxPermission'],
    when: condition.grantsFullAccessToAnother,
    reason: 'another person reads the whole mailbox',
    source: attack('T1098.002'),
  },
  {
    severity: 'medium',
    actions: [
      'Add-RecipientPermission',
      'AddFolderPermissions',
      'Add-MailboxFolderPermission',
      'UpdateFolderPermissions',
    ],
    when: ({ actor }) => actor.type !== 'system',
    reason: 'another person reads a folder or sends as the owner',
    source: attack('T1098.002'),
  },
  {
    severity: 'high',
    actions: ['Set-MailboxAuditBypassAssociation', 'Set-Mailbox'],
    when: condition.hidesMailbox,
    reason: 'what happens in the mailbox is no longer recorded',
    source: elastic('o365/defense_evasion_exchange_mailbox_audit_bypass_association'),
  },
  {
    severity: 'high',
    actions: [
      'Disable-AntiPhishRule',
      'Remove-AntiPhishRule',
      'Remove-AntiPhishPolicy',
      'Disable-MalwareFilterRule',
      'Remove-MalwareFilterRule',
      'Remove-MalwareFilterPolicy',
      'Disable-SafeAttachmentRule',
      'Remove-SafeAttachmentRule',
      'Disable-SafeLinksRule',
      'Remove-SafeLinksRule',
      'Remove-SafeLinksPolicy',
      'Remove-DlpPolicy',
      'Remove-DlpCompliancePolicy',
    ],
    reason: 'a filter of mail is gone',
    source: elastic('o365/defense_evasion_exchange_anti_phish_policy_deletion'),
  },
  {
    severity: 'high',
    actions: [
      'Set-AntiPhishPolicy',
      'Set-SafeLinksPolicy',
      'Set-SafeAttachmentPolicy',
      'Set-AtpPolicyForO365',
      'Set-MalwareFilterPolicy',
      'Set-DkimSigningConfig',
    ],
    when: condition.disablesProtection,
    reason: 'a filter of mail is switched off',
    source: sigma('cloud/m365/audit/microsoft365_email_protection_policy_disabled'),
  },
  {
    severity: 'high',
    actions: ['New-ManagementRoleAssignment', 'Add-RoleGroupMember'],
    when: ({ actor }) => actor.type !== 'system',
    reason: 'a role of Exchange may impersonate users or search mailboxes',
    source: attack('T1098.003'),
  },
];
