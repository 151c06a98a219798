import { dayMs } from '@tenantscope/contract/durations';
import type { OperationWindow } from '../../../../api/playground.ts';
import { useLabels } from '../../../labels/language.tsx';

interface Props {
  readonly window: OperationWindow;
  /** Documents look back over months, lists over hours. */
  readonly isLong: boolean;
  readonly lastRunAt: string | null;
  readonly fill: (from: string) => void;
}

const short = { hour: dayMs / 24, day: dayMs, week: 7 * dayMs } as const;
const long = { month: 30 * dayMs, half: 183 * dayMs } as const;

/** Stretches that end now, and the one since the operation was last run. */
export function WindowChips({ window: { axis, clock }, isLong, lastRunAt, fill }: Props) {
  const { playground } = useLabels();
  const stretches: Readonly<Record<string, number>> = isLong ? long : short;
  return (
    <fieldset className="chips">
      <legend className="hidden">{playground.window(axis)}</legend>
      {Object.entries(stretches).map(([name, ms]) => (
        <button key={name} type="button" onClick={() => fill(new Date(Date.now() - ms).toISOString())}>
          {playground.windows[name as keyof typeof playground.windows]}
        </button>
      ))}
      {clock === 'write' && (
        <button
          type="button"
          disabled={lastRunAt === null}
          title={lastRunAt ?? playground.neverRun}
          onClick={() => lastRunAt !== null && fill(lastRunAt)}
        >
          {playground.windows.since}
        </button>
      )}
      <button type="button" onClick={() => fill('')}>
        {playground.windows.anyTime}
      </button>
    </fieldset>
  );
}
