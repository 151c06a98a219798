import { isNotSystem } from '../conditions.ts';
import { attack, elastic, learn, sigma } from '../references.ts';
import type { SeverityRule } from '../severity-rule.ts';
import * as condition from '../suite-conditions.ts';

/** SharePoint, OneDrive, Teams, Purview and Copilot, as the Management Activity API names their operations. */
export const suiteRules: readonly SeverityRule[] = [
  {
    severity: 'critical',
    actions: ['FileMalwareDetected'],
    ofAttempts: true,
    reason: 'a file with malware is shared storage',
    source: learn('defender-office-365/anti-malware-protection-for-spo-odfb-teams-about'),
  },
  {
    severity: 'high',
    actions: ['CopilotInteraction', 'AIAppInteraction', 'ConnectedAIAppInteraction', 'TeamCopilotInteraction'],
    when: condition.detectsAttackOnModel,
    ofAttempts: true,
    reason: 'a prompt or a document attempts to circumvent the safeguards of the model',
    source: learn('office/office-365-management-api/copilot-schema'),
  },
  {
    severity: 'medium',
    actions: ['AnonymousLinkCreated', 'AnonymousLinkUpdated', 'SharingInvitationCreated', 'CompanyLinkCreated'],
    reason: 'a file can be read by many, or outside the organization',
    source: learn('purview/audit-log-sharing'),
  },
  {
    severity: 'medium',
    actions: ['AddedToSecureLink', 'SharingSet', 'AddedToGroup'],
    when: condition.targetsGuest,
    reason: 'a file is shared with a guest',
    source: learn('purview/audit-log-sharing'),
  },
  {
    severity: 'medium',
    actions: ['SiteCollectionAdminAdded', 'PermissionLevelAdded'],
    when: isNotSystem,
    reason: 'another person administers a site',
    source: attack('T1098'),
  },
  {
    severity: 'high',
    actions: ['SharingPolicyChanged', 'DeviceAccessPolicyChanged', 'NetworkAccessPolicyChanged'],
    when: isNotSystem,
    reason: 'a policy of all sites decides who may read from where',
    source: elastic('o365/defense_evasion_sharepoint_sharing_policy_weakened'),
  },
  {
    severity: 'medium',
    actions: ['DlpRuleUndo'],
    reason: 'a person overrode a policy of data loss prevention',
    source: learn('office/office-365-management-api/office-365-management-activity-api-schema#dlp-schema'),
  },
  {
    severity: 'medium',
    actions: ['FileSensitivityLabelRemoved', 'SensitivityLabelRemoved', 'SiteSensitivityLabelRemoved'],
    reason: 'a file loses its protection',
    source: learn('purview/audit-log-activities#sensitivity-label-activities'),
  },
  {
    severity: 'high',
    actions: [
      'New-ComplianceSearchAction',
      'SearchExported',
      'SearchExportDownloaded',
      'ViewedSearchExported',
      'CaseAdminAdded',
    ],
    reason: 'the content of many mailboxes and sites is exported',
    source: sigma('cloud/m365/threat_management/microsoft365_pst_export_alert_using_new_compliancesearchaction'),
  },
  {
    severity: 'medium',
    actions: ['Set-CsTenantFederationConfiguration', 'Set-CsExternalAccessPolicy', 'New-CsExternalAccessPolicy'],
    when: condition.opensFederation,
    reason: 'members of other organizations can chat with users',
    source: elastic('o365/defense_evasion_teams_external_access_enabled'),
  },
  {
    severity: 'medium',
    actions: ['MemberAdded', 'ChatCreated'],
    when: condition.addsForeignMember,
    reason: 'a guest joins a team or a chat',
    source: attack('T1534'),
  },
  {
    severity: 'high',
    actions: ['TIUrlClickData'],
    when: condition.opensBlockedLink,
    reason: 'a user went on to a link that Safe Links blocks',
    source: learn('office/office-365-management-api/office-365-management-activity-api-schema'),
  },
  {
    severity: 'medium',
    actions: ['TIUrlClickData', 'TIMailData'],
    ofAttempts: true,
    reason: 'Defender found a threat in a message or behind a link',
    source: elastic('o365/initial_access_defender_for_m365_threat_intelligence_signal'),
  },
  {
    severity: 'medium',
    actions: [
      'BotUpdateOperation-BotShare',
      'BotUpdateOperation-BotAuthUpdate',
      'UpdatedTenantSettings',
      'UnblockedAgent',
    ],
    when: isNotSystem,
    reason: 'more users get access to an agent, or it requires less authentication',
    source: learn('microsoft-copilot-studio/admin-logging-copilot-studio'),
  },
];
