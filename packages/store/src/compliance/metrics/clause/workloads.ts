/** Service plans and products by how they begin, in lower case, and the workloads whose activity they let expect. */
export const planWorkloads: readonly (readonly [prefix: string, ...workloads: string[]])[] = [
  ['exchange_s_enterprise', 'exchange', 'azureactivedirectory'],
  ['exchange_s_standard', 'exchange', 'azureactivedirectory'],
  ['exchange_s_deskless', 'exchange', 'azureactivedirectory'],
  ['exchangestandard', 'exchange', 'azureactivedirectory'],
  ['exchangeenterprise', 'exchange', 'azureactivedirectory'],
  ['exchangedeskless', 'exchange', 'azureactivedirectory'],
  ['sharepointstandard', 'sharepoint', 'onedrive'],
  ['sharepointenterprise', 'sharepoint', 'onedrive'],
  ['sharepointdeskless', 'sharepoint', 'onedrive'],
  ['onedrive', 'onedrive'],
  ['waconedrive', 'onedrive'],
  ['teams1', 'microsoftteams'],
  ['teams_ess', 'microsoftteams'],
  ['microsoft_teams_e', 'microsoftteams'],
  ['aad_premium', 'azureactivedirectory'],
  ['m365_copilot', 'copilot'],
  ['microsoft_365_copilot', 'copilot'],
  // Bundles whose plans are not reported. Editions without Teams have other prefixes.
  ...['spe_e3', 'spe_e5', 'spe_f1', 'spb', 'enterprisepack', 'enterprisepremium', 'standardpack', 'o365_business'].map(
    (prefix) =>
      [prefix, 'azureactivedirectory', 'exchange', 'microsoftteams', 'onedrive', 'sharepoint'] as [string, ...string[]],
  ),
];
