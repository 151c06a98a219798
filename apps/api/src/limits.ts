/** Every limit of the public side, by name. */

export const requestsPerWindow = 600;
export const windowSeconds = 60;

/** Failed logins of one address in a window. */
export const failuresPerWindow = 60;

/** 50 filter values of 300 characters, each escaped to three, are 45,000; cursors made of the longest filters stay below too. */
export const uriMaxBytes = 98_304;

/** Names and values of all header lines together. */
export const headersMaxBytes = 32_768;

/** What the parser reads at all. Above the two limits before, so that we, not the parser, tell which one was passed. */
export const parserMaxBytes = 262_144;

/** No request has a body; one that says it has more than this is not read. */
export const bodyMaxBytes = 262_144;

/** Longest id in a path. */
export const idMaxLength = 300;

/** How long a connection may take over what; looked at each `checkMs`. */
export interface Patience {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly checkMs: number;
}

export const patience: Patience = { headersMs: 10_000, requestMs: 15_000, keepAliveMs: 72_000, checkMs: 2_000 };

/** Statement timeout of a list. */
export const listTimeoutMs = 5_000;

/** All statements of a document that is evaluated when it is asked for. */
export const assessmentTimeoutMs = 6_000;

/** All statements of a report. */
export const reportTimeoutMs = 7_500;

/** How long an answer waits until its window is settled. */
export const settleWaitMs = 2_000;

/** An upper bound further ahead of the database clock than this counts as none. */
export const boundAheadMs = 60_000;

/** Reads of one key that run at once; more wait their turn, so that one poller cannot own the pool. */
export const readsPerKey = 8;
export const readsWaitingPerKey = 64;
export const readWaitMs = 5_000;
export const readsInAll = 512;

/** Evidence packs: made for one key one at a time, each on a connection of its own. */
export const packsPerKey = 1;
export const packsWaitingPerKey = 2;
export const packsInAll = 6;
export const packWaitMs = 20_000;
export const packRetrySeconds = 5;
/** Of each section; below what ends the connection. */
export const packStatementTimeoutMs = 7_500;

/** The event loop's mean delay, over a second, above which reads are shed. */
export const loopDelayMaxMs = 250;

export const readModelConnections = 16;
export const keysConnections = 8;
export const watermarkIntervalMs = 25;
export const usageFlushMs = 15_000;
/** Characters of a User-Agent that are remembered. */
export const agentMaxLength = 120;

/** Bodies at least this long are compressed for those who accept it. */
export const compressFromBytes = 1_024;

/** A Link header longer than this is left out: common clients refuse answers whose headers exceed 16 KiB. */
export const linkMaxLength = 8_192;

/** A message to the tool endpoint. */
export const messageMaxBytes = 65_536;

/** Sets of scopes whose list of tools is kept printed; there are few in use. */
export const toolListsMax = 256;

/** How long clients may keep a list of tools: the set changes with the scopes of the key only. */
export const toolListTtlMs = 300_000;
