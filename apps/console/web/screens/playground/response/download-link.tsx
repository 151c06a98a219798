import { useEffect, useState } from 'react';
import { useLabels } from '../../../labels/language.tsx';
import type { ResponsePage } from './response-page.ts';

/** Downloads the body, byte for byte. */
export function DownloadLink({ page: { bytes }, name }: { page: ResponsePage; name: string }) {
  const { playground } = useLabels();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([bytes], { type: 'application/json' }));
    setUrl(url);
    return () => URL.revokeObjectURL(url);
  }, [bytes]);
  return (
    <a className="button" href={url} download={`${name}.json`} title={playground.download}>
      {playground.downloadShort}
    </a>
  );
}
