import { authApi } from '@tollgate/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../lib/api/api-client.ts';
import { texts, useTranslate } from '../lib/i18n.ts';
import { endSession } from '../lib/session.ts';
import { toast } from './feedback/toast.ts';

const text = texts({ loggedOut: { zh: '已退出登录', en: 'You are logged out' } });

/** Clears the session and cached data, shows the reason, and opens the log-in page. */
export function useLeave(): (why: string) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return (why) => {
    endSession('logout');
    client.clear();
    toast.good(why);
    return navigate({ to: '/login' });
  };
}

/** Ends the session locally even if the server is unreachable: log-out must always work. */
export function useLogOut(): () => void {
  const t = useTranslate();
  const leave = useLeave();
  return () => {
    void call(authApi.logout, {})
      .catch(() => undefined)
      .then(() => leave(t(text.loggedOut)));
  };
}
