import { connect } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawOptions {
  readonly host?: string;
  readonly port: number;
  /** Close our side after sending. */
  readonly halfClose?: boolean;
  /** Stop reading when the server has been silent for this long. */
  readonly silenceMs?: number;
  /** Give up waiting for the first byte. */
  readonly waitMs?: number;
}

/** Sends bytes as they are and reads every response until the server closes or falls silent. */
export async function sendRaw(data: string | Buffer, options: RawOptions): Promise<RawResponse[]> {
  const socket = connect({ host: options.host ?? '127.0.0.1', port: options.port, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve();
    };
    let timer = setTimeout(finish, options.waitMs ?? 20_000);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(finish, options.silenceMs ?? 400);
    });
    socket.on('end', finish);
    socket.on('error', finish);
    socket.write(data);
    if (options.halfClose) socket.end();
  });
  return parseResponses(Buffer.concat(chunks).toString('latin1'));
}

function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = text; rest !== ''; ) {
    const split = rest.indexOf('\r\n\r\n');
    if (split < 0) throw new Error(`not an HTTP response: ${rest.slice(0, 100)}`);
    const [first = '', ...lines] = rest.slice(0, split).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.slice(split + 4, split + 4 + length);
    rest = rest.slice(split + 4 + length);
    const status = Number(first.split(' ')[1]);
    if (status !== 100) responses.push({ status, headers, body: Buffer.from(body, 'latin1').toString() });
  }
  return responses;
}
