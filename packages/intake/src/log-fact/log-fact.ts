export type LogFactKind = 'aiInteraction' | 'agentLifecycle' | 'consent' | 'privilegedRole' | 'externalForwarding';

/** What rules and evidence read beyond the columns of a log row. Never the text of a prompt or of its response. */
export interface LogFact {
  readonly kind: LogFactKind;
  readonly agentId: string | null;
  /** Of the agent that an interaction names; null in other facts. */
  readonly agentName: string | null;
  /** The app by which an interaction happened; null in other facts. */
  readonly clientId: string | null;
  /** The program in which an interaction happened, such as Word; null in other facts. */
  readonly appHost: string | null;
  /** What happened to an agent, such as `create`; null in other facts. */
  readonly event: string | null;
  readonly actorId: string | null;
  /** JSON text of an object; unknown members are left out. */
  readonly facts: string;
}
