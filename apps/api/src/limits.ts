/** Every limit of the public API, by name, but those of a connection, which the console has too: `connectionTimeouts`. */

export const requestsPerWindow = 600;
export const windowSeconds = 60;

/** Failed logins from one address in a window. */
export const failedLoginsPerWindow = 60;

/** How long a key stays unknown without another look-up, and how many keys are remembered: 10,000 hashes are 2 MB. */
export const unknownKeyTtlMs = 10_000;
export const rememberedKeys = 10_000;

/** Keys that were never seen: checked by one statement, and waiting for it. */
export const keysPerCheck = 500;
export const waitingKeysMax = 5_000;

/** 50 filter values of 300 characters, each escaped to three, are 45,000; cursors made of the longest filters stay below too. */
export const uriMaxBytes = 98_304;

/** Names and values of all header lines together. */
export const headersMaxBytes = 32_768;

/** The parser's own limit, above the two limits before it, so that the error names the limit that was exceeded. */
export const parserMaxBytes = 262_144;

/** A body: a message to the MCP endpoint, or that of a GET request, which is ignored; some clients send one with every request. */
export const bodyMaxBytes = 65_536;

/** Longest id in a path. */
export const idMaxLength = 300;

/** Connections of a process, of which an idle one has 14 kB. Further ones are closed at once: those that are open are served. */
export const connectionsMax = 10_000;

/** How long a connection stays open for the client to read the error that closes it. */
export const lingerMs = 1_000;

/** Statement timeout of a list. */
export const listTimeoutMs = 5_000;

/** Rows in blocks that may have the values of its filters: half a second. A page of the log that has a row ends after so many, and the next one goes on. */
export const examinedRowsMax = 250_000;

/**
 * All statements of a compliance document, which is evaluated on request. Of twenty million rows they take 2.5 s on two slow cores, and more than 6 when nothing is in
 * memory, as after a restart of the server.
 */
export const complianceTimeoutMs = 15_000;
export const complianceStatementTimeoutMs = 6_000;

/** All statements of a report. */
export const reportTimeoutMs = 15_000;
export const reportStatementTimeoutMs = 7_500;

/** How long a response waits until its window is settled. */
export const settleTimeoutMs = 2_000;

/** How long a request may wait for new rows, and how many requests of a process wait at once. Proxies end a connection after 60 s without a byte. */
export const tailWaitMaxSeconds = 30;
export const tailWaitsMax = 1_000;
/** Between two statements that look for new rows for all of them, and between two pages that one of them reads. */
export const tailCheckIntervalMs = 200;
export const tailRestMs = 1_000;

/** An upper bound further ahead of the database clock is ignored. */
export const boundAheadMaxMs = 60_000;

/** Pages and records that one key, and one tenant with all its keys, reads at once; the rest is queued. */
export const readsPerKey = 8;
export const readsPerTenant = 8;
/**
 * Reads of one key, and of one tenant, that run at once on average, and the running time above the average: eight windows of months at once for
 * 0.14 s, or a hundred pages of 10 ms. Then one runs at a time.
 */
export const sustainedReads = 1;
export const readBurstMs = 1_000;
/** While tenants contend. */
export const contendedReads = { key: 1, tenant: 1, isReduced: true } as const;
/** The service is saturated when a statement takes longer than its usual time multiplied by the factor, plus the margin. */
export const contentionFactor = 3;
export const contentionMarginMs = 1;
/** How long it counts as saturated after that: the smaller budgets end the saturation, and the larger ones would bring it back within a second. */
export const contentionDurationMs = 60_000;
/** How long a tenant that used more than its share while tenants contended is limited to it: otherwise each minute could begin with a burst. */
export const excessDurationMs = 600_000;
/** While tenants contend: the longest rest after a statement, and the longest wait of a statement for others of its tenant. */
export const statementRestMaxMs = 2_000;
export const statementTurnMaxMs = 2_000;
/** Running time that a tenant may use at once for pages, refilled with its share, before its pages are read in parts with rests: about ten pages of 1,000 rows. */
export const pageBurstMs = 500;
/** A tenant counts as active for so long after a request. */
export const otherTenantsActiveMs = 5_000;
/** Of one key, and of one tenant; more are refused. */
export const queuedReads = 64;
/** How long the statements of one request wait at most, while tenants contend: less than the next one waits in the queue. */
export const readWaitMaxMs = 4_500;
export const queuedReadsTotal = 512;
export const readQueueTimeoutMs = 5_000;

/** The same for documents: two at once for 5 s. */
export const sustainedDocuments = 1;
export const documentBurstMs = 5_000;
/**
 * While tenants contend. A tenant rests after each statement of a document, which keeps it to its share. A key of an organization may request the
 * documents of several tenants at once.
 */
export const contendedDocuments = { key: 4, tenant: 1, isReduced: false } as const;
/** Documents of one tenant that wait; more are refused. */
export const queuedDocuments = 64;
export const queuedDocumentsTotal = 512;
export const documentRetrySeconds = 5;
/** While tenants contend: with the rests, a document takes four times its running time, and clients wait for half a minute. */
export const documentWaitMaxMs = 24_000;
/** All statements of a pack: most clients and proxies wait for a minute. */
export const packTimeoutMs = 30_000;
/** Each statement of a section. What half a million interactions of a window opened takes 1.7 s next to another statement on a slow core. While narrow rows of older ones are being added, an activity takes 16 s of processor time. */
export const packStatementTimeoutMs = 25_000;
/** While tenants contend: a statement that runs does not rest. */
export const contendedPackStatementTimeoutMs = 7_500;
/** A statement that the server does not end in its time ends its connection. */
export const documentQueryTimeoutMs = packStatementTimeoutMs + 500;

/** The event loop's mean delay, over a second, above which reads are shed. */
export const eventLoopDelayMaxMs = 250;

/** Independent statements of a document run on two connections to one snapshot. Documents of a tenant with 7.5 million rows take 0.6 of the time. */
export const connectionsPerDocument = 2;

/** Connections of a pool beyond its concurrency: they cancel statements, and in the pool for polling read the watermark. */
export const reservedConnections = 2;
export const keysConnections = 8;
export const watermarkIntervalMs = 25;
/** A database whose polls of the watermark have had no response for so long does not respond. */
export const silentMaxMs = 5_000;
/**
 * Lag of a replica behind the newest node at which it is left out: an idle feed is settled once a second. Below `settleTimeoutMs`, so that a window that
 * one node has served as settled is waited for on another.
 */
export const replicaLagMaxMs = 1_500;
export const replicaCheckIntervalMs = 1_000;
export const usageFlushMs = 15_000;
/** Characters of a User-Agent that are stored. */
export const userAgentMaxLength = 120;

/** Bodies at least this long are compressed if the client accepts it. */
export const compressionMinBytes = 1_024;

/** A longer Link header is omitted: common clients reject responses whose headers exceed 16 KiB. */
export const linkMaxLength = 8_192;

/** Scope sets whose serialized tool list is cached; few are in use. */
export const cachedToolListsMax = 256;

/** How long clients may cache a tool list: it changes only with the scopes of the key. */
export const toolListTtlMs = 300_000;
