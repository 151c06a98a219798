/** Phrases of the field in which a forbidden word is the standard term. */
export const allowedPhrases: readonly string[] = [
  'dead letter',
  'dead letters',
  'keep alive',
  'ai act',
  'print config',
];

export interface AllowedPlace {
  /** A file, or a folder with its slash. */
  readonly path: string;
  readonly terms: readonly string[];
  /** Restricts the entry to strings; names and comments below the path are checked. */
  readonly textOnly?: true;
  readonly why: string;
}

export const allowedPlaces: readonly AllowedPlace[] = [
  { path: 'infra/check/src/vocabulary/', terms: ['*'], why: 'the lists themselves' },
  { path: 'apps/api/src/http/response-headers.ts', terms: ['none'], why: "'none' of the content security policy" },
  { path: 'packages/report/src/html.ts', terms: ['none'], why: "'none' of the content security policy" },
  {
    path: 'infra/image/src/archive/html-documents.ts',
    terms: ['none'],
    why: "'none' of the content security policy",
  },
  { path: 'packages/report/src/table.ts', terms: ['none'], why: 'preserveAspectRatio of SVG' },
  { path: 'infra/docs/src/clients/python-client.ts', terms: ['none'], why: 'None of Python' },
  { path: 'apps/cli/src/commands/directory/tenant-command.ts', terms: ['none'], why: 'a plan, named by the contract' },
  { path: 'migrations/0003_tenants.sql', terms: ['none'], why: 'a plan, named by the contract' },
  { path: 'migrations/schema.sql', terms: ['none'], why: 'a plan, named by the contract' },
  { path: 'packages/compliance/src/report/value-labels.ts', terms: ['none'], why: 'values of the contract' },
  {
    path: 'packages/compliance/src/catalogue/evidence.ts',
    terms: ['question', 'questions', 'answer'],
    why: 'members of the catalogue',
  },
  {
    path: 'packages/compliance/src/evidence/sections/fria-summary.ts',
    terms: ['question', 'answer'],
    why: 'members of the section fria_summary',
  },
  {
    path: 'packages/compliance/test/catalogue.test.ts',
    terms: ['question', 'questions'],
    why: 'members of the catalogue',
  },
  { path: 'test/evidence/', terms: ['answer'], why: 'a member of the section fria_summary' },
  {
    path: 'packages/compliance/src/report/templates/incident-timeline.ts',
    terms: ['moment'],
    why: 'a key of the section',
  },
  {
    path: 'packages/store/src/compliance/',
    terms: ['lead', 'none'],
    why: 'the window function, values of the contract',
  },
  {
    path: 'infra/demo/src/',
    terms: ['*'],
    textOnly: true,
    why: 'titles, mails and instructions of the demonstration tenants',
  },
  { path: 'infra/demo/src/feeds/vendor-alert.ts', terms: ['letter'], why: 'countryLetterCode of Microsoft Graph' },
  { path: 'packages/intake/test/alert-evidence.ts', terms: ['letter'], why: 'countryLetterCode of Microsoft Graph' },
  { path: 'infra/demo/src/records/exchange.ts', terms: ['words'], why: 'SubjectContainsWords of Exchange' },
  { path: 'infra/demo/src/storylines/account-takeover.ts', terms: ['words'], why: 'SubjectOrBodyContainsWords' },
  { path: 'apps/console/src/http/security-headers.ts', terms: ['none'], why: "'none' of the content security policy" },
  {
    path: 'apps/console/web/screens/playground/snippet/snippets.ts',
    terms: ['print', 'none'],
    why: 'Python and shell code for users',
  },
];
