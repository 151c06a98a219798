import { type ReactNode, useEffect } from 'react';
import { useLabels } from '../labels/language.tsx';

/** The title of a screen and its actions. */
export function ScreenHeader({ title, children }: { title: string; children?: ReactNode }) {
  const { product } = useLabels();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <div className="head">
      <h1>{title}</h1>
      <div className="actions">{children}</div>
    </div>
  );
}
