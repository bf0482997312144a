import type { SignInOutcome } from '@tollgate/contract';
import { useNavigate } from '@tanstack/react-router';
import { useTranslate } from '../../lib/i18n.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { text } from './text.ts';

/**
 * Returns `next` if it is a path of this site, `usual` otherwise: a link must not redirect to another site. A browser
 * drops tabs and resolves dots before it reads a path, so the check uses the browser's result.
 */
export function safeNext(next: string, usual: string): string {
  const url = next.startsWith('/') ? URL.parse(next, window.location.origin) : null;
  const isOwn = url?.origin === window.location.origin && !url.pathname.startsWith('//');
  return isOwn ? next : usual;
}

/** Methods of the second step in the URL of the log-in page. */
export type StepMethods = 'code' | 'passkey' | 'both';

const methodsOf = ({ authenticator, passkey }: { authenticator: boolean; passkey: boolean }): StepMethods =>
  authenticator && passkey ? 'both' : passkey ? 'passkey' : 'code';

/** Navigates after the first step: to the requested page, or to the second step, which remembers that page. */
export function useAfterSignIn(): (outcome: SignInOutcome, next: string, greeting?: () => void) => void {
  const t = useTranslate();
  const navigate = useNavigate();
  return (outcome, next, greeting = () => toast.good(t(text.welcome))) => {
    if ('require_2fa' in outcome) {
      void navigate({ to: '/login', search: { step: methodsOf(outcome), next }, replace: true });
      return;
    }
    greeting();
    // `href`, because it may have a query or a hash.
    void navigate({ href: next, replace: true });
  };
}
