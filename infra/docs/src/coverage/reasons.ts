/** Why rows do not show a member: shown next to its counts where they show it in less than 95 % of the records. */
interface Reason {
  /** Start of the formats' names. */
  readonly format: string;
  readonly path: RegExp;
  readonly reason: string;
}

const reasons: readonly Reason[] = [
  {
    format: '',
    path: /(?:^|\.)(?:additionalDetails|authenticationProcessingDetails|additionalInfo\{\})\[\]\.[kK]ey$/,
    reason: 'is the name of a detail',
  },
  {
    format: '',
    path: /appliedConditionalAccessPolicies\[\]/,
    reason:
      'policies that did not apply are left out: tenants have dozens; of others the name and the result are shown',
  },
  { format: 'entra.', path: /^time$/, reason: 'the time of the record itself is shown' },
  {
    format: 'entra.',
    path: /^tenant[iI]d$/,
    reason: "the provider's tenant, which decides whether the record is accepted; the row has the service's",
  },
  { format: 'entra.', path: /^callerIpAddress$/, reason: 'text that is no address is in the raw record alone' },
  {
    format: 'entra.provisioning',
    path: /provisioningSteps\[\]\.(?:details|status|provisioningStepType)/,
    reason: 'of a step the name and the description are shown',
  },
  {
    format: '',
    path: /authenticationDetails\[\]\.(?:authenticationStep(?:DateTime|Requirement)|RequestSequence|StatusSequence)$/,
    reason: 'of a step the method and the result are shown',
  },
  {
    format: 'o365.management-activity',
    path: /^(?:Version|CopilotLogVersion)$/,
    reason: 'the version of the schema',
  },
  {
    format: 'o365.management-activity',
    path: /^(?:Actor|Target)\[\]\.Type$/,
    reason: 'the kind of the identifier decides which field shows it',
  },
  {
    format: 'o365.management-activity',
    path: /^ModifiedProperties\[\]\.\w+\{\}\[\]\.(?:KeyGroupId|KeyStoreId|CredentialType|DeviceToken)$/,
    reason: 'values of credentials and tokens are masked',
  },
  {
    format: 'o365.management-activity',
    path: /^ModifiedProperties\[\]\.\w+\{\}/,
    reason: 'the value of a change has at most 1,024 characters',
  },
  {
    format: 'o365.management-activity',
    path: /InternetMessageId$/,
    reason: 'a control character is shown as an escape',
  },
  {
    format: 'm365d.advanced-hunting',
    path: /^(?:Tenant|tenantId|operationName|time|_TimeReceivedBySvc)$/,
    reason: 'the transport of the export; the row has its tenant, its time and its table',
  },
  {
    format: 'exchange.message-trace',
    path: /^(?:StartDate|EndDate|Index)$/,
    reason: "the window of the report's query and the position in its result",
  },
  {
    format: 'okta.system-log',
    path: /^(?:client\.(?:zone|ipAddress)|transaction\.id)$/,
    reason: 'the texts null and unknown mean that there is no value',
  },
  {
    format: 'graph.aiInteraction',
    path: /^(?:body|attachments\[\]\.content\b)/,
    reason: 'the text of prompts, responses and cards is content, with its form',
  },
];

export function findReason(format: string, path: string): string | null {
  return reasons.find((one) => format.startsWith(one.format) && one.path.test(path))?.reason ?? null;
}
