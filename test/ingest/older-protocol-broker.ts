import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy of a broker with the older protocol versions that Azure Event Hubs is reported to offer: no ids of topics. */
export interface OlderProtocolBroker extends AsyncDisposable {
  readonly address: string;
  /** Requests with a version that it does not offer; each ended its connection. */
  readonly refused: readonly string[];
}

const apiVersionsKey = 18;
/**
 * By API key, the newest version. Of produce, fetch, list offsets, metadata, the offsets and membership of groups, and API versions, which
 * Event Hubs answers by closing the connection where it is newer: github.com/IBM/sarama/issues/2470, github.com/twmb/franz-go/pull/1022.
 */
const newest: Readonly<Record<number, number>> = {
  0: 7,
  1: 6,
  2: 5,
  3: 5,
  8: 3,
  9: 3,
  10: 1,
  11: 5,
  12: 3,
  13: 3,
  14: 3,
  [apiVersionsKey]: 3,
};

export async function startOlderProtocolBroker(broker: string): Promise<OlderProtocolBroker> {
  const [host = '', port = ''] = broker.split(':');
  const refused: string[] = [];
  const open = new Set<Socket>();
  let own = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), host);
    const requests = new Map<number, { key: number; version: number }>();
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', end).on('close', () => {
        open.delete(socket);
        end();
      });
    }
    readFrames(client, (frame) => {
      const request = { key: frame.readInt16BE(4), version: frame.readInt16BE(6) };
      if (request.version > (newest[request.key] ?? request.version)) {
        refused.push(`${request.key} in version ${request.version}`);
        return end();
      }
      requests.set(frame.readInt32BE(8), request);
      upstream.write(frame);
    });
    readFrames(upstream, (frame) => {
      const request = requests.get(frame.readInt32BE(4));
      requests.delete(frame.readInt32BE(4));
      if (request?.key === apiVersionsKey) limitVersions(frame, request.version);
      replaceAddress(frame, host, Number(port), own);
      client.write(frame);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  own = (server.address() as AddressInfo).port;
  return {
    address: `127.0.0.1:${own}`,
    refused,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Calls back with each message, its length included. */
function readFrames(socket: Socket, onFrame: (frame: Buffer) => void): void {
  let buffered = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= 4 && buffered.length >= 4 + buffered.readInt32BE(0)) {
      const end = 4 + buffered.readInt32BE(0);
      onFrame(Buffer.from(buffered.subarray(0, end)));
      buffered = buffered.subarray(end);
    }
  });
}

/** Lowers the newest version of each API, in place. Responses from version 3 on have a compact list, each entry with a byte of tags. */
function limitVersions(frame: Buffer, version: number): void {
  const isCompact = version >= 3;
  const listAt = 10; // length, correlation id, error code
  const count = isCompact ? frame.readUInt8(listAt) - 1 : frame.readInt32BE(listAt);
  if (isCompact && count >= 127) throw new Error('the length of the list has a second byte');
  let at = listAt + (isCompact ? 1 : 4);
  for (let left = count; left > 0; left--) {
    const limit = newest[frame.readInt16BE(at)];
    if (limit !== undefined) frame.writeInt16BE(Math.min(limit, frame.readInt16BE(at + 4)), at + 4);
    at += isCompact ? 7 : 6;
  }
}

/** The address that the broker advertises: its host as text, then its port in four bytes. */
function replaceAddress(frame: Buffer, host: string, port: number, own: number): void {
  const advertised = Buffer.alloc(host.length + 4);
  advertised.write(host);
  advertised.writeInt32BE(port, host.length);
  for (let at = frame.indexOf(advertised); at >= 0; at = frame.indexOf(advertised, at + 1))
    frame.writeInt32BE(own, at + host.length);
}
