import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { cacheDirectory, checkout } from '../checkout.ts';

export interface ConsoleDevServerOptions {
  /** Where browsers reach the console. */
  readonly port: number;
  /** Where the console process listens. */
  readonly consolePort: number;
}

/** Serves the console's pages from their sources and reloads them on edit; forwards everything else to the console process. */
export async function startConsoleDevServer({ port, consolePort }: ConsoleDevServerOptions): Promise<AsyncDisposable> {
  // Loaded here, since `npm start` does not need it.
  const { createServer } = await import('vite');
  const signalHandlers = process.listeners('SIGTERM');
  const server = await createServer({
    root: join(checkout, 'apps', 'console', 'web'),
    cacheDir: join(cacheDirectory, 'vite'),
    plugins: [redirectPages(consolePort)],
    logLevel: 'warn',
    clearScreen: false,
    server: {
      host: 'localhost',
      port,
      strictPort: true,
      proxy: { '^/console/(api|auth)/': { target: `http://127.0.0.1:${consolePort}` } },
    },
  });
  // vite exits the process on SIGTERM, before the services are stopped.
  for (const handler of process.listeners('SIGTERM'))
    if (!signalHandlers.includes(handler)) process.off('SIGTERM', handler);
  await server.listen();
  return { [Symbol.asyncDispose]: () => server.close() };
}

/** Requests each page from the console process too: without a session it redirects to the sign-in page. */
function redirectPages(consolePort: number): Plugin {
  return {
    name: 'redirect-pages',
    configureServer({ middlewares }) {
      middlewares.use((incoming: IncomingMessage, response: ServerResponse, next: () => void) => {
        if (incoming.method !== 'GET' || !incoming.headers.accept?.includes('text/html')) return next();
        const { url, headers } = incoming;
        const forwarded = request({ host: '127.0.0.1', port: consolePort, path: url, headers }, (page) => {
          page.resume();
          const { location } = page.headers;
          if (location === undefined) return next();
          response.writeHead(page.statusCode ?? 302, { location }).end();
        });
        forwarded.on('error', next).end();
      });
    },
  };
}
