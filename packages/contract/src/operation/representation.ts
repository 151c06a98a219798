/** Forms of a response besides JSON, which a REST client chooses with Accept. MCP tools always return JSON. */
export const representations = {
  ndjson: {
    mediaType: 'application/x-ndjson',
    description:
      'A row a line, with the bytes that it has in JSON, and {"pagination": …} as the last line: a response without that line is incomplete.',
  },
  csv: {
    mediaType: 'text/csv',
    description:
      'CSV (RFC 4180, UTF-8) with a header line. A text that a spreadsheet could take for a formula begins with an apostrophe.',
  },
  oscal: {
    mediaType: 'application/oscal+json',
    description: 'OSCAL 1.2.1 assessment results: an observation for each evaluated requirement, and a finding.',
  },
} as const satisfies Readonly<Record<string, { readonly mediaType: string; readonly description: string }>>;

export type Representation = keyof typeof representations;
