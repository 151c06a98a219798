import { useEffect, useState } from 'react';
import { useWords } from '../../words/words.tsx';
import type { Page } from './page.ts';

/** The body, byte for byte as it came. */
export function Download({ page: { bytes }, name }: { page: Page; name: string }) {
  const { playground } = useWords();
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/json' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return (
    <a className="button" href={address} download={`${name}.json`} title={playground.download}>
      {playground.downloadShort}
    </a>
  );
}
