/** How much of a document a response contains: all of it, or the same members with rows as empty lists. */
export const views = ['full', 'summary'] as const;
