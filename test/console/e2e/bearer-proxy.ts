import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** An HTTP proxy between the console and the API that collects every bearer key it forwards. */
export async function startBearerProxy(baseUrl: string, bearers: Set<string>): Promise<Server> {
  const server = createServer(async (request, reply) => {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer) bearers.add(bearer);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.entries(request.headers).filter(
      ([name]) => !/^(host|connection|content-length|transfer-encoding)$/.test(name),
    ) as [string, string][];
    const response = await fetch(new URL(request.url ?? '', baseUrl), {
      method: request.method ?? 'GET',
      headers,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const body = Buffer.from(await response.arrayBuffer());
    reply.writeHead(
      response.status,
      Object.fromEntries(
        [...response.headers].filter(
          ([name]) => !/^(connection|content-length|transfer-encoding|content-encoding)$/.test(name),
        ),
      ),
    );
    reply.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
