import { useRouter } from '@tanstack/react-router';
import { type FormState, searchFromForm } from './form-state.ts';

/** The URL of a form: it shares the request, never the response. */
export function useShareLink(): (formState: FormState) => string {
  const router = useRouter();
  return (formState) =>
    new URL(router.buildLocation({ to: '/playground', search: searchFromForm(formState) }).publicHref, location.origin)
      .href;
}
