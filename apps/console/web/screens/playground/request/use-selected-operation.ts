import { useEffect, useLayoutEffect, useRef } from 'react';

/** Selects the operation that the URL names; the command palette changes the URL. */
export function useSelectedOperation(named: string | undefined, chosen: string, choose: (name: string) => void): void {
  const latest = useRef({ chosen, choose });
  useLayoutEffect(() => {
    latest.current = { chosen, choose };
  });
  useEffect(() => {
    const now = latest.current;
    if (named !== undefined && named !== now.chosen) now.choose(named);
  }, [named]);
}
