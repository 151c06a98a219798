/** One row of the vocabulary: words and phrases that are not used here, and the standard terms that replace them. */
export interface ForbiddenTerm {
  /** Lower-case words or phrases; a phrase is matched across the parts of an identifier too (`setAside`, `set_aside`). */
  readonly terms: readonly string[];
  readonly use: string;
  /** True where the words are never right, so that comments and documents are held to the row as well. */
  readonly inProse?: true;
}

export const forbiddenTerms: readonly ForbiddenTerm[] = [
  {
    terms: ['say', 'says', 'said', 'saying', 'tell', 'tells', 'telling', 'told', 'speech'],
    use: 'report, log, message, label',
  },
  { terms: ['words'], use: 'description, notes, labels, text' },
  { terms: ['ask', 'asks', 'asked', 'asking', 'question', 'questions'], use: 'request, fetch, query' },
  { terms: ['answer', 'answers', 'answered', 'answering'], use: 'response, respond' },
  {
    terms: ['letter', 'letters', 'set aside', 'sets aside', 'setting aside', 'parked'],
    use: 'dead letter, dead-lettered',
  },
  { terms: ['somebody', 'nobody', 'whoever'], use: 'a user, an operator, no consumer, the caller', inProse: true },
  { terms: ['who comes', 'comes anew'], use: 'the caller', inProse: true },
  {
    terms: ['stand', 'stands', 'standing', 'stood', 'stands still', 'standstill'],
    use: 'be in, stalled, position, state',
  },
  { terms: ['stands still', 'stand still', 'standing still', 'stood still'], use: 'stalled', inProse: true },
  { terms: ['session of ingest', 'hold', 'holds', 'holding', 'held'], use: 'consumer assignment, assign, assigned' },
  { terms: ['wanted', 'mine', 'news', 'doubt', 'doubted'], use: 'requested or enabled, own, change, stale' },
  { terms: ['none'], use: 'invalid, missing, no …' },
  {
    terms: ['anew', 'once more', 'as it came', 'as they came', 'as it lies', 'as they lie'],
    use: 'again, raw, unchanged',
    inProse: true,
  },
  {
    terms: ['beside', 'by itself', 'by themselves', 'all the same'],
    use: 'next to, standalone, anyway',
    inProse: true,
  },
  {
    terms: ['a proof', 'prove oneself', 'proves itself', 'who it is', 'who they are'],
    use: 'credential, re-authenticate, identity',
  },
  { terms: ['door', 'doors', 'desk', 'visit', 'room', 'rooms'], use: 'HTTP server, handlers, request context, module' },
  { terms: ['appointment', 'appointments', 'nudge', 'nudges', 'directly'], use: 'scheduler, job, inline' },
  {
    terms: ['tries', 'rounds', 'ways in', 'way in', 'the way back in'],
    use: 'attempts, OIDC state, sign-in methods, recovery link',
  },
  { terms: ['people', 'act', 'acts', 'openers'], use: 'members, users, action, administrators who can grant access' },
  {
    terms: ['lead', 'leads', 'known', 'unfit', 'pace', 'turns'],
    use: 'id link, cached, invalid text, rate limit, concurrency limit',
  },
  { terms: ['leaf', 'leaves', 'keep', 'keeps', 'keeping', 'kept'], use: 'partition, ensure, maintain, retain' },
  { terms: ['moment', 'moments', 'at the moment'], use: 'snapshot read, instant, now' },
  {
    terms: ['vouch', 'vouches', 'vouched', 'vouching', 'put down', 'puts down'],
    use: 'attest, record, reported',
    inProse: true,
  },
  { terms: ['print', 'prints', 'printed', 'cut', 'cuts'], use: 'serialize, show, split, truncate' },
  {
    terms: ['weigh', 'weighs', 'chance', 'casting', 'occasion', 'occasions'],
    use: 'parse quality values, random, choose actor, trigger',
  },
  { terms: ['mend', 'mends', 'mended', 'mending', 'torn'], use: 'fix, truncated', inProse: true },
  { terms: ['made', 'made up'], use: 'created, backfilled' },
];
