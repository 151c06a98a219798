import type { Socket } from 'node:net';

/** Ends each of two sockets with the other one. Open ones are in `sockets`. */
export function linkSockets(sockets: Set<Socket>, client: Socket, server: Socket): void {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    sockets.add(one);
    one.on('error', () => other.destroy());
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
  }
}
