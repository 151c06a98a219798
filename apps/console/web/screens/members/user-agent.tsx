import Bowser from 'bowser';
import { useLabels } from '../../labels/language.tsx';

/** A browser by its name and system; what calls itself otherwise is quoted. The whole text is there to be looked at. */
export function UserAgent({ of }: { of: string | null }) {
  const { members: strings } = useLabels();
  if (of === null) return '–';
  const { browser, os } = Bowser.parse(of);
  const label = browser.name && os.name ? strings.browserOn(browser.name, os.name) : of;
  return <span title={of}>{label}</span>;
}
