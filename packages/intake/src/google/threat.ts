import type { EventThreat, Severity } from '@tenantscope/contract';
import { toBoolean } from '../json/value.ts';
import { parseSeverity } from '../severity/severity.ts';
import type { Parameters } from './parameters.ts';

/** What Google holds of an event; the severity is its own verdict in our terms. */
export interface GoogleVerdict {
  readonly threat: EventThreat | null;
  readonly severity: Severity | null;
}

/** Reads the events that are warnings themselves, and verdicts among the parameters of others. */
export function readGoogleVerdict(
  action: string | null,
  application: string | null,
  parameters: Parameters,
): GoogleVerdict {
  const event = action === null ? undefined : threatEvents.get(action);
  if (event !== undefined && !(event.unless?.(parameters) ?? false)) {
    return toVerdict(event.verdict, null, action, event.severity);
  }
  if (application === 'rules' || application === 'gmail') return readRuleOrMail(parameters);
  if (toBoolean(parameters.text('is_suspicious') ?? undefined) === true) {
    return toVerdict('suspicious', null, action, 'medium');
  }
  return noVerdict;
}

function readRuleOrMail(parameters: Parameters): GoogleVerdict {
  const rule = parameters.text('rule_name');
  const level = parameters.text('severity');
  const marked = markedAs.get(parameters.text('triggered_actions.action_type') ?? '');
  if (marked !== undefined) return toVerdict(marked, level, rule, parseSeverity(level ?? undefined) ?? 'medium');
  const severity = parseSeverity(level ?? undefined);
  if (severity !== null && severity !== 'informational') return toVerdict('ruleMatch', level, rule, severity);
  const family = parameters.text('message_info.attachment.malware_family');
  if (family !== null) return toVerdict('malware', null, numbered.test(family) ? null : family, 'high');
  if (parameters.text('message_info.is_spam') === 'true') return toVerdict('spam', null, null, 'low');
  return noVerdict;
}

function toVerdict(
  verdict: string,
  level: string | null,
  name: string | null,
  severity: Severity | null,
): GoogleVerdict {
  return { threat: { verdict, level, name, source: 'Google Workspace' }, severity };
}

const noVerdict: GoogleVerdict = Object.freeze({ threat: null, severity: null });

/** Events of login, mobile and chrome that are warnings. */
const threatEvents = new Map<
  string,
  { readonly verdict: string; readonly severity: Severity; readonly unless?: (parameters: Parameters) => boolean }
>([
  ['suspicious_login', { verdict: 'suspicious', severity: 'high' }],
  ['suspicious_login_less_secure_app', { verdict: 'suspicious', severity: 'high' }],
  ['suspicious_programmatic_login', { verdict: 'suspicious', severity: 'high' }],
  ['user_signed_out_due_to_suspicious_session_cookie', { verdict: 'suspicious', severity: 'high' }],
  ['risky_sensitive_action_allowed', { verdict: 'risk', severity: 'medium' }],
  ['risky_sensitive_action_blocked', { verdict: 'risk', severity: 'medium' }],
  ['gov_attack_warning', { verdict: 'governmentBackedAttack', severity: 'critical' }],
  ['account_disabled_generic', { verdict: 'suspicious', severity: 'medium' }],
  ['account_disabled_hijacked', { verdict: 'compromised', severity: 'high' }],
  ['account_disabled_password_leak', { verdict: 'leakedPassword', severity: 'high' }],
  ['account_disabled_spamming', { verdict: 'spam', severity: 'medium' }],
  ['account_disabled_spamming_through_relay', { verdict: 'spam', severity: 'medium' }],
  ['SUSPICIOUS_ACTIVITY_EVENT', { verdict: 'suspicious', severity: 'medium' }],
  [
    'DEVICE_COMPROMISED_EVENT',
    {
      verdict: 'compromised',
      severity: 'high',
      unless: (parameters) => /^not/i.test(parameters.text('DEVICE_COMPROMISED_STATE') ?? ''),
    },
  ],
  ['MALWARE_TRANSFER', { verdict: 'malware', severity: 'high' }],
  ['UNSAFE_SITE_VISIT', { verdict: 'unsafeSite', severity: 'medium' }],
  ['PASSWORD_BREACH', { verdict: 'leakedPassword', severity: 'medium' }],
]);
const markedAs = new Map([
  ['MAIL_MARK_AS_PHISHING', 'phishing'],
  ['MAIL_MARK_AS_SPAM', 'spam'],
  ['MAIL_MARK_AS_MALWARE', 'malware'],
]);
/** Gmail's log numbers the families of malware; the number stays in the details. */
const numbered = /^\d+$/;
