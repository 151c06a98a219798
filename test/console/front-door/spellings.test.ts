import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { everything, open, paths } from './addresses.ts';
import { expectGuarded } from './answers.ts';
import { frontDoor } from './stage.ts';

const { running, knock, signedIn, ours } = await frontDoor();

test('what answers without a session is known here, all of it', async () => {
  const source = await readFile(new URL('../../../apps/console/src/sign-in/routes.ts', import.meta.url), 'utf8');
  const registered = [...source.matchAll(/fastify\.(get|post|put|patch|delete|route|all)\(\s*'([^']+)'/g)];
  expect(registered.map(([, method = '', path]) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    open.map(([method, path]) => `${method} ${path}`).sort(),
  );
});

describe('whatever the method, the spelling or the origin, answers are guarded and none fails', () => {
  const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'];
  test.each(paths)('%s', async (path) => {
    const declared = new Set(everything.filter(([, one]) => one === path).map(([method]) => method));
    for (const method of methods) {
      const answer = await knock(method, path, { ...signedIn(), ...ours(), Origin: 'https://evil.example' });
      const name = `${method} ${path} ${answer.status} ${answer.text}`;
      expectGuarded(answer, name);
      expect(answer.status, name).toBeLessThan(500);
      if (declared.has(method) || (method === 'HEAD' && declared.has('GET'))) continue;
      expect([400, 403, 404, 405], name).toContain(answer.status);
    }
    const asked = await knock('OPTIONS', path, {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    });
    expect([403, 404], `preflight of ${path}`).toContain(asked.status);
    expectGuarded(asked, `preflight of ${path}`);
  });

  const spellings: [string, (path: string) => string][] = [
    ['a slash behind it', (path) => `${path}/`],
    ['capitals', (path) => path.toUpperCase()],
    ['two slashes', (path) => path.replace('/api/', '//api/')],
    ['an encoded letter', (path) => path.replace('/console', '/%63onsole')],
    ['an encoded api', (path) => path.replace('/api', '/%61pi')],
    ['an encoded slash', (path) => path.replace('/api/', '/api%2f')],
    ['a step up and down', (path) => path.replace('/api/', '/api/x/../')],
    ['an encoded step', (path) => path.replace('/api/', '/api/x/%2e%2e/')],
    ['a semicolon', (path) => `${path};x=1`],
    ['a torn encoding', (path) => `${path}%`],
    ['what is no UTF-8', (path) => `${path}%ff`],
    ['a NUL', (path) => `${path}%00`],
    ['a backslash', (path) => path.replace('/api/', '\\api\\')],
    ['an address', (path) => `http://evil.example${path}`],
    ['two slashes before', (path) => `/${path}`],
  ];
  test.each(spellings)('%s', async (_, spell) => {
    for (const path of paths) {
      const answer = await knock('GET', spell(path));
      const name = `${spell(path)} ${answer.status} ${answer.text.slice(0, 200)}`;
      expectGuarded(answer, name);
      expect(answer.status, name).toBeLessThan(500);
      // Without a session nothing is told, however it is spelt; the one page and the way to sign in are for everybody.
      if (answer.status === 200) expect(answer.text, name).toMatch(/^<!doctype html>|^\{"oidc":/i);
      const changed = await knock(
        'POST',
        spell(path),
        { ...ours(), ...signedIn(), Origin: 'https://evil.example' },
        '{}',
      );
      expect([400, 403, 404, 421], `POST ${name}`).toContain(changed.status);
    }
  });

  test('pages, assets, unknown addresses and other names of this host', async () => {
    const page = await knock('GET', '/console/', signedIn());
    expectGuarded(page, 'the page');
    const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(0);
    for (const path of assets) {
      const asset = await knock('GET', path, { Origin: 'https://evil.example' });
      expect(asset.status, path).toBe(200);
      const cached = asset.headers['cache-control'];
      expect(cached, path).toBe(path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store');
      expectGuarded({ ...asset, text: '', headers: { ...asset.headers, 'cache-control': 'no-store' } }, path);
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
      expectGuarded(await knock('GET', path), path);
    for (const host of ['evil.example', `evil.example:${new URL(running.origin).port}`]) {
      const answer = await knock('GET', '/console/api/me', { ...signedIn(), Host: host });
      expect([400, 421], host).toContain(answer.status);
      expect((await knock('GET', '/console/keys', { Host: host })).status, host).toBeGreaterThanOrEqual(400);
    }
  });
});
