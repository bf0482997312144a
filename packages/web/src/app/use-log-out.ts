import { authApi } from '@tollgate/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../lib/api/api-client.ts';
import { useSay } from '../lib/i18n.ts';
import { endSession } from '../lib/session.ts';
import { toast } from '../shared/feedback/toast.ts';
import { text } from './text.ts';

/** Ends the session here even when the server cannot be told: a person who leaves has left. */
export function useLogOut(): () => void {
  const say = useSay();
  const client = useQueryClient();
  const navigate = useNavigate();
  return () => {
    void call(authApi.logout, {})
      .catch(() => undefined)
      .then(() => {
        endSession('logout');
        client.clear();
        toast.good(say(text.loggedOut));
        return navigate({ to: '/login' });
      });
  };
}
