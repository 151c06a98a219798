import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { InitOptions } from './init-options.ts';

export function declareInitCommand(program: Command, run: Run): void {
  declareCommand(program, 'init', 'write a Docker Compose installation with generated secrets')
    .option('--directory <path>', 'an empty or new directory', '.')
    .option('--image <name>', 'container image of the processes')
    .option('--bind <address>', 'address that the API and the console listen on', '127.0.0.1')
    .option('--public-url <url>', 'URL of the API for its clients', 'http://localhost:8080/api/v1')
    .option('--console-url <url>', 'origin of the console in browsers', 'http://localhost:8090')
    .option('--postgres <host:port>', 'a PostgreSQL of your own instead of a container')
    .option('--kafka <host:port,…>', 'a Kafka cluster of your own instead of a container')
    .option('--redis <host:port>', 'a Redis of your own instead of a container')
    .action((options: InitOptions & JsonOption) =>
      run(async () => (await import('./init.ts')).initInstallation(options), options),
    );
}
