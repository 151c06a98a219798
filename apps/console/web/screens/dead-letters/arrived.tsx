import type { OpenedLetter } from '../../asked.ts';
import { Time } from '../../parts/time.tsx';
import { number, useLanguage } from '../../words/words.tsx';
import { visible } from '../playground/visible.ts';
import { hexLines } from './hex.ts';

/** A page stays a page; the command line has it all. */
const mostLetters = 65_536;
const mostBytes = 4_096;

type Part = OpenedLetter['value'];

/** What arrived: as text where it is text, else byte by byte. */
export function Arrived({ letter: { key, value, headers, producedAt } }: { letter: OpenedLetter }) {
  const { words } = useLanguage();
  const { letters: said } = words;
  return (
    <>
      {producedAt && (
        <p className="hint">
          {said.produced} <Time at={producedAt} />
        </p>
      )}
      <Bytes name={said.payload} of={value} />
      <Bytes name={said.key} of={key} />
      {headers.length > 0 && (
        <div className="stack-tight">
          <h3>{said.headers}</h3>
          <dl className="facts">
            {headers.map(({ name, value: of }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a header may come twice, and none ever moves
              <div key={index} className="fact">
                <dt>{visible(name)}</dt>
                <dd>
                  <code>{of?.encoding === 'base64' ? hexOf(of) : visible(of?.text ?? '')}</code>
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </>
  );
}

function Bytes({ name, of }: { name: string; of: Part }) {
  const { words, language } = useLanguage();
  const { letters: said } = words;
  if (of === null) return <p className="hint">{said.noPart(name)}</p>;
  const isText = of.encoding === 'utf8';
  const shown = isText ? of.text.slice(0, mostLetters) : hexOf(of);
  const isCut = isText ? of.text.length > mostLetters : of.bytes > mostBytes;
  return (
    <div className="stack-tight">
      <h3>{name}</h3>
      <p className="hint">{said.bytes(number(language, of.bytes), isText ? said.utf8 : said.notUtf8)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <pre className="lines" tabIndex={0}>
        {isText ? shown.split('\n').map(visible).join('\n') : shown}
      </pre>
      {isCut && <p className="hint">{said.cut(number(language, isText ? mostLetters : mostBytes))}</p>}
    </div>
  );
}

const hexOf = ({ text }: NonNullable<Part>): string =>
  hexLines(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).subarray(0, mostBytes));
