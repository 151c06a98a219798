import { readFile } from 'node:fs/promises';
import { publicRoutes as routes } from '@tenantscope/console';
import { describe, expect, test } from 'vitest';
import { allRoutes, paths, publicRoutes } from './console-paths.ts';
import { expectSecurityHeaders } from './response-expectations.ts';
import { startConsole } from './running-console.ts';

const { running, send, sessionHeaders, sameOriginHeaders } = await startConsole();

test('the list of routes without a session is complete', async () => {
  const declared = routes.map(({ method, path }) => `${method} /console/api${path}`);
  const source = await readFile(new URL('../../../apps/console/src/sign-in/oidc.ts', import.meta.url), 'utf8');
  const registered = [...source.matchAll(/fastify\.(get|post|put|patch|delete|route|all)\(/g)];
  const redirects = [...source.matchAll(/'(\/console\/auth\/[^']+)'/g)].map(([, path]) => `GET ${path}`);
  expect(registered.map(([, method]) => method)).toEqual(redirects.map(() => 'get'));
  expect([...declared, ...redirects].sort()).toEqual(publicRoutes.map(([method, path]) => `${method} ${path}`).sort());
});

describe('every method, path variant and origin gets security headers and no server error', () => {
  const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'];
  test.each(paths)('%s refuses other methods and origins', async (path) => {
    const declared = new Set(allRoutes.filter(([, one]) => one === path).map(([method]) => method));
    for (const method of methods) {
      const response = await send(method, path, {
        ...sessionHeaders(),
        ...sameOriginHeaders(),
        Origin: 'https://evil.example',
      });
      const name = `${method} ${path} ${response.status} ${response.text}`;
      expectSecurityHeaders(response, name);
      expect(response.status, name).toBeLessThan(500);
      if (declared.has(method) || (method === 'HEAD' && declared.has('GET'))) continue;
      expect([400, 403, 404, 405], name).toContain(response.status);
    }
    const preflight = await send('OPTIONS', path, {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    });
    expect([403, 404], `preflight of ${path}`).toContain(preflight.status);
    expectSecurityHeaders(preflight, `preflight of ${path}`);
  });

  const pathVariants: [string, (path: string) => string][] = [
    ['a trailing slash', (path) => `${path}/`],
    ['upper case', (path) => path.toUpperCase()],
    ['two slashes', (path) => path.replace('/api/', '//api/')],
    ['an encoded character', (path) => path.replace('/console', '/%63onsole')],
    ['an encoded api', (path) => path.replace('/api', '/%61pi')],
    ['an encoded slash', (path) => path.replace('/api/', '/api%2f')],
    ['a dot segment', (path) => path.replace('/api/', '/api/x/../')],
    ['an encoded dot segment', (path) => path.replace('/api/', '/api/x/%2e%2e/')],
    ['a semicolon', (path) => `${path};x=1`],
    ['a truncated encoding', (path) => `${path}%`],
    ['invalid UTF-8', (path) => `${path}%ff`],
    ['a NUL', (path) => `${path}%00`],
    ['a backslash', (path) => path.replace('/api/', '\\api\\')],
    ['an absolute URL', (path) => `http://evil.example${path}`],
    ['two leading slashes', (path) => `/${path}`],
  ];
  test.each(pathVariants)('a path with %s exposes nothing', async (_, change) => {
    for (const path of paths) {
      const response = await send('GET', change(path));
      const name = `${change(path)} ${response.status} ${response.text.slice(0, 200)}`;
      expectSecurityHeaders(response, name);
      expect(response.status, name).toBeLessThan(500);
      // Without a session only the page and the sign-in methods are returned, for every variant of the path.
      if (response.status === 200) expect(response.text, name).toMatch(/^<!doctype html>|^\{"oidc":/i);
      const changed = await send(
        'POST',
        change(path),
        { ...sameOriginHeaders(), ...sessionHeaders(), Origin: 'https://evil.example' },
        '{}',
      );
      expect([400, 403, 404, 421], `POST ${name}`).toContain(changed.status);
    }
  });

  test('pages, assets, unknown paths and other host names get security headers', async () => {
    const page = await send('GET', '/console/', sessionHeaders());
    expectSecurityHeaders(page, 'the page');
    const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(0);
    for (const path of assets) {
      const asset = await send('GET', path, { Origin: 'https://evil.example' });
      expect(asset.status, path).toBe(200);
      const cached = asset.headers['cache-control'];
      expect(cached, path).toBe(path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store');
      expectSecurityHeaders({ ...asset, text: '', headers: { ...asset.headers, 'cache-control': 'no-store' } }, path);
    }
    for (const path of [
      '/',
      '/nothing',
      '/console',
      '/console/assets/nothing.js',
      '/console/../package.json',
      '/console/%2e%2e/package.json',
      '/console/assets/..%2f..%2fpackage.json',
      '/%',
      '/*',
    ])
      expectSecurityHeaders(await send('GET', path), path);
    for (const host of ['evil.example', `evil.example:${new URL(running.origin).port}`]) {
      const response = await send('GET', '/console/api/me', { ...sessionHeaders(), Host: host });
      expect([400, 421], host).toContain(response.status);
      expect((await send('GET', '/console/keys', { Host: host })).status, host).toBeGreaterThanOrEqual(400);
    }
  });
});
