/** Timeouts of a connection. Those of requests are checked every `checkMs`. */
export interface ConnectionTimeouts {
  readonly headersMs: number;
  /** Until a request has arrived completely, its body included. */
  readonly requestMs: number;
  /** While a response is sent: the client accepts none of its bytes for so long. It may take twice the time until this is noticed. */
  readonly sendMs: number;
  readonly keepAliveMs: number;
  readonly checkMs: number;
}

/** Of the api and the console. A client that sends its body byte by byte has a connection for 15 seconds at most, and one that reads nothing of its response for one to two minutes. */
export const connectionTimeouts: ConnectionTimeouts = {
  headersMs: 10_000,
  requestMs: 15_000,
  sendMs: 60_000,
  keepAliveMs: 72_000,
  checkMs: 2_000,
};

/** As options of `createServer`. `sendMs` is no option: `server.setTimeout(sendMs, endIdleConnection)` applies it. */
export const toServerTimeouts = ({ headersMs, requestMs, keepAliveMs, checkMs }: ConnectionTimeouts) => ({
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  keepAliveTimeout: keepAliveMs,
  connectionsCheckingInterval: checkMs,
});
