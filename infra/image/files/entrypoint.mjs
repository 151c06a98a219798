// The image's entry point: `api`, `ingest`, `jobs`, `console` and `collect` are the processes, everything else is a command of the CLI, such as
// `console set-up`. All of them run in this process, so that it receives the signals of the container engine.
const processes = ['api', 'ingest', 'jobs', 'console', 'collect'];

const [, , name, next = '--'] = process.argv;
const isProcess = processes.includes(name) && next.startsWith('--');
// Process 1 of a container ignores a signal that it does not handle. A command with a handler of its own, such as import, ends as that one says; so does a
// process once its modules are loaded.
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
])
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(isProcess ? 0 : 128 + number);
  });
if (isProcess) {
  await import(`/app/apps/${name}/src/main.ts`);
} else {
  const { main } = await import('/app/apps/cli/src/main.ts');
  await main(process.argv);
}
