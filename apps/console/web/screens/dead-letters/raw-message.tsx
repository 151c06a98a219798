import type { DeadLetterDetail } from '../../../api/dead-letters.ts';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { formatHexDump } from './hex-dump.ts';

/** Limits of what is shown; the command line shows everything. */
const maxCharacters = 65_536;
const maxBytes = 4_096;

type Part = DeadLetterDetail['value'];

/** The raw message: text where it is UTF-8, else a hex dump. */
export function RawMessage({ deadLetter }: { deadLetter: DeadLetterDetail }) {
  const { key, value, valueBytes, valueSha256, headers, producedAt } = deadLetter;
  const { labels, language } = useLanguage();
  const { deadLetters: strings } = labels;
  return (
    <>
      {valueBytes !== null && (
        <p className="hint">
          {strings.storedTruncated(number(language, value?.bytes ?? 0), number(language, valueBytes))}{' '}
          <code>{valueSha256}</code>
        </p>
      )}
      {producedAt && (
        <p className="hint">
          {strings.produced} <Timestamp at={producedAt} />
        </p>
      )}
      <Bytes name={strings.payload} of={value} />
      <Bytes name={strings.key} of={key} />
      {headers.length > 0 && (
        <div className="stack-tight">
          <h3>{strings.headers}</h3>
          <dl className="facts">
            {headers.map(({ name, value: of }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a header may come twice, and none ever moves
              <div key={index} className="fact">
                <dt>{escapeInvisible(name)}</dt>
                <dd>
                  <code>{of?.encoding === 'base64' ? hexOf(of) : escapeInvisible(of?.text ?? '')}</code>
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
  const { labels, language } = useLanguage();
  const { deadLetters: strings } = labels;
  if (of === null) return <p className="hint">{strings.missingPart(name)}</p>;
  const isText = of.encoding === 'utf8';
  const shown = isText ? of.text.slice(0, maxCharacters) : hexOf(of);
  const isTruncated = isText ? of.text.length > maxCharacters : of.bytes > maxBytes;
  return (
    <div className="stack-tight">
      <h3>{name}</h3>
      <p className="hint">{strings.bytes(of.bytes, isText ? strings.utf8 : strings.notUtf8)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <pre className="lines" tabIndex={0}>
        {isText ? shown.split('\n').map(escapeInvisible).join('\n') : shown}
      </pre>
      {isTruncated && <p className="hint">{strings.truncated(number(language, isText ? maxCharacters : maxBytes))}</p>}
    </div>
  );
}

const hexOf = ({ text }: NonNullable<Part>): string =>
  formatHexDump(Uint8Array.from(atob(text), (deadLetter) => deadLetter.charCodeAt(0)).subarray(0, maxBytes));
