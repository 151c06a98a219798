/** First-party applications: their ids are the same in every tenant. */
export const firstParty = {
  officeHome: { id: '4765445b-32c6-49b0-83e6-1d93765276ca', name: 'OfficeHome' },
  exchange: { id: '00000002-0000-0ff1-ce00-000000000000', name: 'Office 365 Exchange Online' },
  sharePoint: { id: '00000003-0000-0ff1-ce00-000000000000', name: 'Office 365 SharePoint Online' },
  teams: { id: '1fec8e78-bce4-4aaf-ab1b-5451cc387264', name: 'Microsoft Teams' },
  graph: { id: '00000003-0000-0000-c000-000000000000', name: 'Microsoft Graph' },
  portal: { id: 'c44b4083-3bb0-49c1-b47d-974e53cbdf3c', name: 'Azure Portal' },
  copilot: { id: 'fb8d773d-7ef8-4ec0-a117-179f88add510', name: 'Microsoft 365 Copilot' },
  office: { id: 'd3590ed6-52b3-4102-aeff-aad2292ab01c', name: 'Microsoft Office' },
} as const;

export type FirstPartyApp = (typeof firstParty)[keyof typeof firstParty];

/** The applications that users sign in to. */
export const signInTargets: readonly FirstPartyApp[] = [
  firstParty.officeHome,
  firstParty.exchange,
  firstParty.sharePoint,
  firstParty.teams,
  firstParty.office,
];
