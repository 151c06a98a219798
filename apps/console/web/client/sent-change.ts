/** Whether the change of this item is being made: a second click on its button would be refused, since the first one succeeded. */
export const isSent = (change: { readonly isPending: boolean; readonly variables?: unknown }, id: string): boolean =>
  change.isPending && change.variables === id;
