import { type ReactNode, useEffect } from 'react';
import { useLabels } from '../labels/language.tsx';
import { Preferences } from './preferences.tsx';

interface Props {
  readonly title: string;
  /** The purpose of the page, in one sentence. */
  readonly description?: string;
  readonly children: ReactNode;
}

/** The layout of pages without a session; its elements are where those of the frame are. */
export function PublicLayout({ title, description, children }: Props) {
  const { product } = useLabels();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <div className="public-layout">
      <header className="brand">{product}</header>
      <main>
        <div className="stack-tight">
          <h1>{title}</h1>
          {description && <p className="public-layout-description">{description}</p>}
        </div>
        {children}
      </main>
      <footer>
        <Preferences />
      </footer>
    </div>
  );
}
