import { Suspense } from 'react';
import { useStatus } from '../../lib/api/status.ts';
import { lazy } from '../../lib/lazy.ts';
import { signInMethods } from './sign-in-methods.ts';

const Buttons = lazy(async () => ({ default: (await import('./other-sites.tsx')).OtherSites }));

/** The buttons of other sites; their code loads only if there are any. */
export function OtherSites({ aff, next }: { aff: string; next: string }) {
  const status = useStatus();
  if (!status || signInMethods(status, 'en').length === 0) return null;
  return (
    <Suspense fallback={null}>
      <Buttons aff={aff} next={next} />
    </Suspense>
  );
}
