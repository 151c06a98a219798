/** A value of an event by which events are searched, and where the event has it. */
export interface Observable {
  readonly name: string;
  readonly type_id: number;
  readonly type: string;
  readonly value: string;
}

const types = {
  hostname: [1, 'Hostname'],
  ip: [2, 'IP Address'],
  userName: [4, 'User Name'],
  email: [5, 'Email Address'],
  fileName: [7, 'File Name'],
  hash: [8, 'Hash'],
  resourceUid: [10, 'Resource UID'],
  userAgent: [16, 'HTTP User-Agent'],
  userUid: [31, 'User Object: uid'],
  groupUid: [33, 'Group Object: uid'],
  messageUid: [42, 'Message UID'],
  deviceUid: [47, 'Device Object: uid'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

export type ObservableType = keyof typeof types;

/** Collects observables of an event; each value once for each type. */
export class Observables {
  private readonly found = new Map<string, Observable>();

  add(type: ObservableType, name: string, value: string | null | undefined): void {
    if (value === null || value === undefined || value === '') return;
    const [type_id, caption] = types[type];
    const key = `${type_id} ${value}`;
    if (!this.found.has(key)) this.found.set(key, { name, type_id, type: caption, value });
  }

  list(): Observable[] {
    return [...this.found.values()];
  }
}
