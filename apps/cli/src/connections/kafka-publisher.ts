import { connectPublisher, type Publisher } from '@tenantscope/publish';
import { describeKafkaError, type KafkaConnection } from '@tenantscope/runtime';
import { CommandError } from '../command-error.ts';

/** Connects a producer; a failure names the variable to check. */
export async function openPublisher(connection: KafkaConnection, clientId: string): Promise<Publisher> {
  return connectPublisher({ ...connection, clientId }).catch((error: unknown) => {
    throw new CommandError(describeKafkaError(error, connection));
  });
}
