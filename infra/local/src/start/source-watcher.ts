import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../checkout.ts';
import type { Application } from './application.ts';
import { writeLine } from './terminal.ts';

/** Editors write a file in several steps, and several files at a time. */
const settleMs = 200;

/** Restarts an application when a source file of it, or of a package that it depends on, is edited. */
export function watchSources(applications: readonly Application[]): Disposable {
  const directories = new Map(
    applications.map((application) => [application, listSourceDirectories(application.name)]),
  );
  let pending = new Map<Application, string>();
  let timer: NodeJS.Timeout | undefined;
  const restartPending = () => {
    const edited = pending;
    pending = new Map();
    for (const [application, file] of edited) {
      writeLine(application.name, `${file} changed; restarting`);
      application.restart();
    }
  };
  const watchers = [...new Set([...directories.values()].flat())].map((directory): FSWatcher => {
    const dependents = applications.filter((application) => directories.get(application)?.includes(directory));
    return watch(join(checkout, directory), { recursive: true }, (_, file) => {
      for (const application of dependents) pending.set(application, join(directory, file ?? ''));
      clearTimeout(timer);
      timer = setTimeout(restartPending, settleMs);
    });
  });
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** The source directories of an application and of the workspace packages that it depends on, directly or not. */
function listSourceDirectories(application: string): string[] {
  const found = new Set([join('apps', application)]);
  for (const directory of found) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(checkout, directory, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const name of Object.keys(dependencies))
      if (name.startsWith('@tenantscope/')) found.add(join('packages', name.slice('@tenantscope/'.length)));
  }
  return [...found].map((directory) => join(directory, 'src'));
}
