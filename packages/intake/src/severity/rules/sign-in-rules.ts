import { isFailed } from '../conditions.ts';
import { panther, sigma } from '../references.ts';
import type { SeverityRule } from '../severity-rule.ts';
import * as condition from '../sign-in-conditions.ts';

const signIns = ['Sign-in activity', 'UserLoggedIn', 'UserLoginFailed'];

/** Sign-ins of Entra; the provider's risk of a sign-in is its verdict and needs no rule. */
export const signInRules: readonly SeverityRule[] = [
  {
    severity: 'medium',
    actions: signIns,
    when: condition.usesLegacyClient,
    reason: 'the protocol cannot request a second factor',
    source: sigma('cloud/azure/signin_logs/azure_legacy_authentication_protocols'),
  },
  {
    severity: 'medium',
    actions: signIns,
    when: condition.usesPasswordGrant,
    reason: 'the application saw the password and no second factor was requested',
    source: panther('azure_signin_rules/azure_ropc_login_no_mfa'),
  },
  {
    severity: 'medium',
    actions: signIns,
    when: condition.usesDeviceCodeOfBroker,
    reason: 'phishing of device codes for the broker gives a primary refresh token',
    source: panther('azure_signin_rules/azure_device_code_broker_client'),
  },
  {
    severity: 'low',
    actions: signIns,
    when: condition.usesDeviceCode,
    reason: 'a code that another device entered may have been phished',
    source: sigma('cloud/azure/signin_logs/azure_app_device_code_authentication'),
  },
  {
    severity: 'medium',
    actions: signIns,
    when: condition.usesEditorForGraph,
    reason: 'phishing pages take authorization codes of this client',
    source: panther('azure_signin_rules/azure_vscode_oauth_phishing'),
  },
  {
    severity: 'medium',
    actions: signIns,
    when: condition.isLockedOut,
    ofAttempts: true,
    reason: 'passwords were guessed until the account was locked',
    source: sigma('cloud/azure/signin_logs/azure_account_lockout'),
  },
  {
    severity: 'medium',
    actions: signIns,
    when: condition.isFactorDenied,
    ofAttempts: true,
    reason: 'the password was correct, and the owner refused the second factor',
    source: sigma('cloud/azure/signin_logs/azure_mfa_denies'),
  },
  {
    severity: 'low',
    actions: [...signIns, 'PasswordLogonInitialAuthUsingPassword'],
    when: isFailed,
    ofAttempts: true,
    reason: 'single failures are everyday events; many of them are an attack',
    source: sigma('cloud/azure/signin_logs/azure_ad_auth_failure_increase'),
  },
];
