import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request whose response is not finished. */
export interface OpenExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const openExchanges = new WeakMap<Duplex, Set<OpenExchange>>();

/** Remembers a request of a connection until its response is finished. */
export function trackExchange(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const open = openExchanges.get(socket) ?? new Set();
  openExchanges.set(socket, open);
  const exchange = { request, response };
  open.add(exchange);
  response.once('close', () => open.delete(exchange));
}

/** The open exchanges of a connection in the order of their requests: clients may pipeline. */
export function listOpenExchanges(socket: Duplex): readonly OpenExchange[] {
  return [...(openExchanges.get(socket) ?? [])];
}

/** Calls back when these exchanges are finished; never if the connection breaks first. */
export function afterExchanges(exchanges: readonly OpenExchange[], callback: () => void): void {
  let open = exchanges.length;
  if (open === 0) callback();
  for (const { response } of exchanges)
    response.once('close', () => {
      open -= 1;
      if (open === 0) callback();
    });
}
