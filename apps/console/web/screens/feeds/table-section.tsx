import { useLabels } from '../../labels/language.tsx';

interface Props {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly { readonly label: string; readonly isNumber?: boolean }[];
  readonly className?: string;
  /** Of rows, in the order of their importance. */
  readonly children: readonly React.ReactNode[];
}

/** More belong to many tenants: they are found by selecting one. */
export const maxRows = 100;

/** A titled table of feed health. */
export function TableSection({ id, title, columns, className = '', children }: Props) {
  const { feeds: strings } = useLabels();
  return (
    <div className="stack-tight">
      <h2 id={id}>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the window is scrolled with the arrow keys */}
      <section className="scroll" aria-labelledby={id} tabIndex={0}>
        <table className={`cards tight ${className}`}>
          <caption className="hidden">{title}</caption>
          <thead>
            <tr>
              {columns.map(({ label, isNumber }) => (
                <th key={label} scope="col" className={isNumber ? 'number' : undefined}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children.slice(0, maxRows)}</tbody>
        </table>
      </section>
      {children.length > maxRows && <p className="muted">{strings.otherRows(children.length - maxRows)}</p>}
    </div>
  );
}
