import { useRouter } from '@tanstack/react-router';
import { searchOf, type Wanted } from './wanted.ts';

/** The address of a form as it stands: it shares what was asked, never what was answered. */
export function useAddressOf(): (wanted: Wanted) => string {
  const router = useRouter();
  return (wanted) =>
    new URL(router.buildLocation({ to: '/playground', search: searchOf(wanted) }).publicHref, location.origin).href;
}
