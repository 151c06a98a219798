const identity = { serviceSource: 'azureAdIdentityProtection', detectionSource: 'azureAdIdentityProtection' };
const cloudApps = { serviceSource: 'microsoftDefenderForCloudApps', detectionSource: 'cloudAppSecurity' };

/** The alerts that vendors raise during the account takeover. */
export const alertKinds = {
  lure: {
    title: 'Phishing mail was delivered',
    description: 'A mail that a later verdict calls phishing lay in an inbox, and its link was opened.',
    severity: 'high',
    category: 'InitialAccess',
    serviceSource: 'microsoftDefenderForOffice365',
    detectionSource: 'microsoftDefenderForOffice365',
    advice: 'Remove the mail and see who opened the link.',
    threat: 'Phish.Lanternfish',
  },
  session: {
    title: 'Sign-in with a stolen session',
    description: 'A sign-in after several refused ones, from an address and a machine never seen before.',
    severity: 'high',
    category: 'CredentialAccess',
    ...identity,
    advice: 'Revoke the sessions, reset the password and look at what was done since.',
  },
  rule: {
    title: 'Inbox rule that hides and forwards mail',
    description: 'A rule forwards mail about invoices and banks outside and deletes it.',
    severity: 'medium',
    category: 'Exfiltration',
    ...cloudApps,
    advice: 'Remove the rule.',
  },
  consent: {
    title: 'Consent for the whole organization to an unknown AI app',
    description: 'An administrator granted an app of an unverified publisher access to all files and mail.',
    severity: 'high',
    category: 'Persistence',
    ...cloudApps,
    advice: 'Revoke the consent unless the administrator confirms it.',
  },
  agent: {
    title: 'Agent was opened to the whole organization and attacked',
    description:
      'The authentication of an agent was changed, it was shared with everybody, and prompts tried to lift its limits.',
    severity: 'high',
    category: 'DefenseEvasion',
    serviceSource: 'microsoftDefenderForAIServices',
    detectionSource: 'microsoftDefenderForAIServices',
    advice: 'Block the agent and restore its last version.',
  },
} as const;
