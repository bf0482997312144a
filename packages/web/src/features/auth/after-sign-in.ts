import type { SignInOutcome } from '@tollgate/contract';
import { useNavigate } from '@tanstack/react-router';
import { useTranslate } from '../../lib/i18n.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { text } from './text.ts';

/** A way on inside this site; an address of another one is not followed. */
export const safeNext = (next: string, usual: string): string => (/^\/(?![/\\])/.test(next) ? next : usual);

/** How the second step may be taken, as the address of the log-in page says it. */
export type StepProofs = 'code' | 'passkey' | 'both';

const proofsOf = ({ authenticator, passkey }: { authenticator: boolean; passkey: boolean }): StepProofs =>
  authenticator && passkey ? 'both' : passkey ? 'passkey' : 'code';

/** Leads on after a first step: to where the person wanted to be, or to the second step, which remembers where. */
export function useAfterSignIn(): (outcome: SignInOutcome, next: string, greeting?: () => void) => void {
  const t = useTranslate();
  const navigate = useNavigate();
  return (outcome, next, greeting = () => toast.good(t(text.welcome))) => {
    if ('require_2fa' in outcome) {
      void navigate({ to: '/login', search: { step: proofsOf(outcome), next }, replace: true });
      return;
    }
    greeting();
    // As an address, for it may end in a query or a hash.
    void navigate({ href: next, replace: true });
  };
}
