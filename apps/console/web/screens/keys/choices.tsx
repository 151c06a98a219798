interface Given<Name> {
  readonly names: readonly Name[];
  readonly said: (name: Name) => string;
  /** Null: none of them. */
  readonly chosen: Name | null;
  readonly choose: (name: Name) => void;
}

/** One of a few. */
export function Choices<Name extends string | number | null>({ names, said, chosen, choose }: Given<Name>) {
  return (
    <span className="segments">
      {names.map((name) => (
        <button key={String(name)} type="button" aria-pressed={name === chosen} onClick={() => choose(name)}>
          {said(name)}
        </button>
      ))}
    </span>
  );
}
