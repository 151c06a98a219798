/** Every limit of the public API, by name. */

export const requestsPerWindow = 600;
export const windowSeconds = 60;

/** Failed logins from one address in a window. */
export const failedLoginsPerWindow = 60;

/** 50 filter values of 300 characters, each escaped to three, are 45,000; cursors made of the longest filters stay below too. */
export const uriMaxBytes = 98_304;

/** Names and values of all header lines together. */
export const headersMaxBytes = 32_768;

/** The parser's own limit, above the two limits before it, so that the error names the limit that was exceeded. */
export const parserMaxBytes = 262_144;

/** No request has a body; a larger Content-Length is rejected unread. */
export const bodyMaxBytes = 262_144;

/** Longest id in a path. */
export const idMaxLength = 300;

/** Timeouts of a connection, checked every `checkMs`. */
export interface ConnectionTimeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly checkMs: number;
}

export const connectionTimeouts: ConnectionTimeouts = {
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 72_000,
  checkMs: 2_000,
};

/** Statement timeout of a list. */
export const listTimeoutMs = 5_000;

/** All statements of a compliance document, which is evaluated on request. */
export const complianceTimeoutMs = 6_000;

/** All statements of a report. */
export const reportTimeoutMs = 7_500;

/** How long a response waits until its window is settled. */
export const settleTimeoutMs = 2_000;

/** An upper bound further ahead of the database clock is ignored. */
export const boundAheadMaxMs = 60_000;

/** Concurrent reads of one key; more are queued, so that one poller cannot occupy the pool. */
export const readsPerKey = 8;
export const queuedReadsPerKey = 64;
export const readQueueTimeoutMs = 5_000;
export const concurrentReads = 512;

/** Evidence packs: one at a time per key, each on its own connection. */
export const packsPerKey = 1;
export const queuedPacksPerKey = 2;
export const concurrentPacks = 6;
export const packQueueTimeoutMs = 20_000;
export const packRetrySeconds = 5;
/** For each section; shorter than the timeout of the connection. */
export const packStatementTimeoutMs = 7_500;

/** The event loop's mean delay, over a second, above which reads are shed. */
export const eventLoopDelayMaxMs = 250;

export const readModelConnections = 16;
export const keysConnections = 8;
export const watermarkIntervalMs = 25;
export const usageFlushMs = 15_000;
/** Characters of a User-Agent that are stored. */
export const userAgentMaxLength = 120;

/** Bodies at least this long are compressed if the client accepts it. */
export const compressionMinBytes = 1_024;

/** A longer Link header is omitted: common clients reject responses whose headers exceed 16 KiB. */
export const linkMaxLength = 8_192;

/** A message to the MCP endpoint. */
export const mcpMessageMaxBytes = 65_536;

/** Scope sets whose serialized tool list is cached; few are in use. */
export const cachedToolListsMax = 256;

/** How long clients may cache a tool list: it changes only with the scopes of the key. */
export const toolListTtlMs = 300_000;
