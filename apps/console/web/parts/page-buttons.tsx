import { useLabels } from '../labels/language.tsx';

interface Props {
  /** Of the shown page; undefined: it is the first. */
  readonly cursor: string | undefined;
  /** Null: the shown page is the last. */
  readonly nextCursor: string | null;
  /** Undefined: to the first page. */
  readonly openPage: (cursor: string | undefined) => void;
}

/** Buttons to the next and the first page of a list, newest first. */
export function PageButtons({ cursor, nextCursor, openPage }: Props) {
  const { audit } = useLabels();
  return (
    <div className="row">
      {cursor !== undefined && (
        <button type="button" onClick={() => openPage(undefined)}>
          {audit.newest}
        </button>
      )}
      {nextCursor !== null && (
        <button type="button" onClick={() => openPage(nextCursor)}>
          {audit.older}
        </button>
      )}
    </div>
  );
}
