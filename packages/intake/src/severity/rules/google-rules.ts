import { isFailed } from '../conditions.ts';
import * as condition from '../google-conditions.ts';
import { attack, elastic, panther, sigma } from '../references.ts';
import type { SeverityRule } from '../severity-rule.ts';

const settings = ['CREATE_APPLICATION_SETTING', 'CHANGE_APPLICATION_SETTING', 'DELETE_APPLICATION_SETTING'];
const gmailSettings = ['CREATE_GMAIL_SETTING', 'CHANGE_GMAIL_SETTING', 'DELETE_GMAIL_SETTING'];
const gmail = ['delivery', 'message_delivery'];

/** Events of the Reports API; warnings among them are Google's own verdicts and need no rule. */
export const googleRules: readonly SeverityRule[] = [
  {
    severity: 'high',
    actions: ['GRANT_ADMIN_PRIVILEGE', 'GRANT_DELEGATED_ADMIN_PRIVILEGES'],
    reason: 'an account becomes a super administrator',
    source: sigma('cloud/gcp/gworkspace/admin/gcp_gworkspace_user_granted_admin_privileges'),
  },
  {
    severity: 'high',
    actions: ['AUTHORIZE_API_CLIENT_ACCESS'],
    reason: 'a client can impersonate every user of the domain',
    source: sigma('cloud/gcp/gworkspace/admin/gcp_gworkspace_granted_domain_api_access'),
  },
  {
    severity: 'high',
    actions: ['ADD_TRUSTED_DOMAINS'],
    reason: 'files can be shared with another domain without a warning',
    source: sigma('cloud/gcp/gworkspace/admin/gcp_gworkspace_trusted_domain_added'),
  },
  {
    severity: 'high',
    actions: ['email_forwarding_out_of_domain'],
    reason: 'mail is sent outside the organization',
    source: sigma('cloud/gcp/gworkspace/login/gcp_gworkspace_out_of_domain_email_forwarding'),
  },
  {
    severity: 'high',
    actions: ['ENFORCE_STRONG_AUTHENTICATION', 'ALLOW_STRONG_AUTHENTICATION'],
    when: ({ context }) => context.details.some(([name, value]) => name === 'NEW_VALUE' && value === 'false'),
    reason: 'the organization no longer requires two-step verification',
    source: sigma('cloud/gcp/gworkspace/admin/gcp_gworkspace_mfa_disabled'),
  },
  {
    severity: 'high',
    actions: gmailSettings,
    when: condition.isSetting('message_security_rule'),
    reason: 'the default routing of all mail changes',
    source: panther('gsuite_activityevent_rules/gsuite_workspace_gmail_default_routing_rule'),
  },
  {
    severity: 'high',
    actions: settings,
    when: condition.setsTo('enforce strong password', 'off', 'false'),
    reason: 'weak passwords are allowed',
    source: panther('gsuite_activityevent_rules/gsuite_workspace_password_enforce_strong_disabled'),
  },
  {
    severity: 'high',
    actions: settings,
    when: condition.setsTo('enable password reuse', 'true', 'on'),
    reason: 'old passwords are allowed',
    source: panther('gsuite_activityevent_rules/gsuite_workspace_password_reuse_enabled'),
  },
  {
    severity: 'medium',
    actions: settings,
    when: condition.setsTo('deep_scanning_enabled', 'false'),
    reason: 'attachments are no longer run in a sandbox',
    source: panther('gsuite_activityevent_rules/gsuite_workspace_gmail_security_sandbox_disabled'),
  },
  {
    severity: 'medium',
    actions: settings,
    when: condition.setsTo('enable_enhanced_pre_delivery', 'false'),
    reason: 'suspicious messages are delivered without a second look',
    source: panther('gsuite_activityevent_rules/gsuite_workspace_gmail_enhanced_predelivery_scanning'),
  },
  {
    severity: 'medium',
    actions: settings,
    when: condition.isSetting('advanced protection program'),
    reason: 'the strongest protection of accounts changes',
    source: panther('gsuite_activityevent_rules/google_workspace_advanced_protection_program'),
  },
  {
    severity: 'medium',
    actions: ['CHANGE_EMAIL_SETTING'],
    when: condition.isSetting('enable_g_suite_marketplace'),
    reason: 'which applications may be installed changes',
    source: panther('gsuite_activityevent_rules/google_workspace_apps_marketplace_allowlist'),
  },
  {
    severity: 'medium',
    actions: ['CHANGE_CALENDAR_SETTING'],
    when: condition.setsTo('sharing_outside_domain', 'read_only_access', 'read_write_access', 'manage_access'),
    reason: 'calendars of all users can be shared outside',
    source: panther('gsuite_activityevent_rules/gsuite_workspace_calendar_external_sharing'),
  },
  {
    severity: 'medium',
    actions: ['change_calendar_acls'],
    when: condition.sharesCalendarPublicly,
    reason: 'a calendar is public',
    source: panther('gsuite_activityevent_rules/gsuite_calendar_made_public'),
  },
  {
    severity: 'medium',
    actions: [
      'change_user_access',
      'change_document_visibility',
      'change_document_access_scope',
      'change_acl_editors',
      'shared_drive_settings_change',
    ],
    when: condition.sharesOutside,
    reason: 'a document can be read outside the organization',
    source: sigma('cloud/gcp/gworkspace/login/gcp_gworkspace_drive_file_shared_externally'),
  },
  {
    severity: 'medium',
    actions: [
      'ASSIGN_ROLE',
      'CREATE_ROLE',
      'ADD_PRIVILEGE',
      'ADD_APPLICATION',
      'ADD_APPLICATION_TO_WHITELIST',
      'CUSTOMER_TAKEOUT_CREATED',
      'CUSTOMER_TAKEOUT_SUCCEEDED',
      '2sv_disable',
      'titanium_unenroll',
      'UNSUSPEND_USER',
      'TURN_OFF_2_STEP_VERIFICATION',
      'GENERATE_2SV_SCRATCH_CODES',
    ],
    reason: 'privileges, factors or the whole content of the organization change hands',
    source: elastic('google_workspace/persistence_google_workspace_admin_role_assigned_to_user'),
  },
  {
    severity: 'high',
    actions: gmail,
    when: condition.downloadsFromSpam,
    reason: 'an attachment of a message taken for spam was downloaded',
    source: panther('gsuite_activityevent_rules/gsuite_attachments_downloaded_from_spam_email'),
  },
  {
    severity: 'high',
    actions: gmail,
    when: condition.followsLinkInSpam,
    reason: 'a link in a message taken for spam was followed',
    source: panther('gsuite_activityevent_rules/gsuite_links_clicked_in_spam_email'),
  },
  {
    severity: 'medium',
    actions: gmail,
    when: condition.bypassesSpamFilter,
    reason: 'a setting exempted the message from the spam filter',
    source: panther('gsuite_activityevent_rules/gsuite_bypass_spam_filter_email'),
  },
  {
    severity: 'medium',
    actions: gmail,
    when: condition.isRefusedAsMalicious,
    ofAttempts: true,
    reason: 'a malicious message was refused',
    source: panther('gsuite_activityevent_rules/gsuite_malicious_smtp_response'),
  },
  {
    severity: 'medium',
    actions: gmail,
    when: condition.isUnauthenticated,
    reason: 'a message with a forged sender was delivered',
    source: panther('gsuite_activityevent_rules/gsuite_potential_spoofed_email'),
  },
  {
    severity: 'medium',
    actions: ['authorize'],
    when: condition.grantsMailOrDrive,
    reason: 'an application may read all mail or files, or administer the organization',
    source: attack('T1528'),
  },
  {
    severity: 'low',
    actions: ['login_failure', 'login_challenge', 'login_verification'],
    when: isFailed,
    ofAttempts: true,
    reason: 'single failures are everyday events; many of them are an attack',
    source: elastic('google_workspace/credential_access_google_workspace_login_brute_force'),
  },
];
