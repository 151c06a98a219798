export type StatusLevel = 'good' | 'warn' | 'bad' | 'unknown';

const shapes: Readonly<Record<StatusLevel, string>> = { good: '●', warn: '▲', bad: '■', unknown: '○' };

/** A status as shape, text and color, so that each is enough to recognize it. */
export function Status({ level, children }: { level: StatusLevel; children: React.ReactNode }) {
  return (
    <span className={`status status-${level}`}>
      <span aria-hidden="true">{shapes[level]}</span> {children}
    </span>
  );
}
