export type Standing = 'good' | 'warn' | 'bad' | 'unknown';

const shapes: Readonly<Record<Standing, string>> = { good: '●', warn: '▲', bad: '■', unknown: '○' };

/** Shape, word and colour: any two of them can be missing. */
export function Status({ standing, children }: { standing: Standing; children: React.ReactNode }) {
  return (
    <span className={`status status-${standing}`}>
      <span aria-hidden="true">{shapes[standing]}</span> {children}
    </span>
  );
}
