import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import type { CommandResult } from '../output/command-result.ts';

export type CommandAction = (context: CommandContext) => Promise<CommandResult>;

/** Runs the action of a command and writes its result. */
export type Run = (action: CommandAction, options: JsonOption) => Promise<void>;

export interface JsonOption {
  readonly json?: boolean;
}

/** Declares a command with its `--json` option. */
export function declareCommand(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'output one JSON document');
}
