interface Props<Name> {
  readonly names: readonly Name[];
  readonly label: (name: Name) => string;
  /** Null: no option is selected. */
  readonly chosen: Name | null;
  readonly choose: (name: Name) => void;
}

/** Selects one of a few options. */
export function SegmentedControl<Name extends string | number | null>({ names, label, chosen, choose }: Props<Name>) {
  return (
    <span className="segments">
      {names.map((name) => (
        <button key={String(name)} type="button" aria-pressed={name === chosen} onClick={() => choose(name)}>
          {label(name)}
        </button>
      ))}
    </span>
  );
}
