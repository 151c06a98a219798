import Bowser from 'bowser';
import { useWords } from '../../words/words.tsx';

/** A browser by its name and system; what calls itself otherwise is quoted. The whole text is there to be looked at. */
export function Agent({ of }: { of: string | null }) {
  const { people } = useWords();
  if (of === null) return '–';
  const { browser, os } = Bowser.parse(of);
  const said = browser.name && os.name ? people.browserOn(browser.name, os.name) : of;
  return <span title={of}>{said}</span>;
}
