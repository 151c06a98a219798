import { useEffect, useLayoutEffect, useRef } from 'react';

/** The palette speaks through the address: the operation that it comes to name is the one in the form. */
export function useNamedOperation(named: string | undefined, chosen: string, choose: (name: string) => void): void {
  const latest = useRef({ chosen, choose });
  useLayoutEffect(() => {
    latest.current = { chosen, choose };
  });
  useEffect(() => {
    const now = latest.current;
    if (named !== undefined && named !== now.chosen) now.choose(named);
  }, [named]);
}
