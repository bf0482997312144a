import { Group, Loader } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiError, errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { Notice } from '../../ui/notice.tsx';
import { safeNext, useAfterSignIn } from './after-sign-in.ts';
import { AuthCard } from './auth-card.tsx';
import { useFinishSignIn } from './queries.ts';
import { text } from './text.ts';
import { saveReturnPath, loadReturnPath } from './return-path.ts';

/** The parameters that a provider returned to the browser. */
interface CallbackParams {
  code?: string;
  state: string;
  iss?: string;
  error?: string;
}

/** Reads them from the URL: the query, and Telegram's fragment. */
export function readCallback({ search, hash }: Pick<Location, 'search' | 'hash'>): CallbackParams {
  const query = new URLSearchParams(search);
  const code = query.get('code') ?? /[#&]tgAuthResult=([\w+/=-]+)/.exec(hash)?.[1];
  const iss = query.get('iss');
  const error = query.get('error');
  return {
    state: query.get('state') ?? '',
    ...(code !== undefined && { code }),
    ...(iss !== null && { iss }),
    ...(error !== null && { error }),
  };
}

const hasCode = (error: Error, code: string): boolean => error instanceof ApiError && error.code === code;

/** Older clients match the server's message for this code, so the message explains nothing to users. */
const isStale = (error: Error): boolean => hasCode(error, 'oauth_state_wrong');

/** The URL names no provider of this site. */
const isUnknown = (error: Error): boolean => hasCode(error, 'row_not_found');

/** The page that providers redirect to: completes the sign-in or the binding. */
export function Page() {
  const t = useTranslate();
  const language = useLanguage();
  const user = useCurrentUser();
  const finish = useCallbackOutcome();
  const wordsOf = (error: Error): string => {
    if (isUnknown(error)) return t(text.oauthUnknown);
    return isStale(error) ? t(text.oauthStale) : errorMessage(error, language);
  };
  return (
    <AuthCard
      title={t(text.oauthTitle)}
      foot={
        finish.isError && (
          <Link
            to={user ? '/personal' : '/login'}
            search={user || loadReturnPath() === '' ? {} : { next: loadReturnPath() }}
          >
            {t(user ? text.backToPersonal : text.backToLogin)}
          </Link>
        )
      }
    >
      {finish.isError ? (
        <Notice tone="bad" role="alert">
          {wordsOf(finish.error)}
        </Notice>
      ) : (
        <Group role="status" gap="sm">
          <Loader size="sm" />
          {t(text.oauthPending)}
        </Group>
      )}
    </AuthCard>
  );
}

/** Sends the provider's answer once: it is valid only once, so a second render must not send it again. */
function useCallbackOutcome() {
  const t = useTranslate();
  const navigate = useNavigate();
  const { provider = '' }: { provider?: string } = useParams({ strict: false });
  const finish = useFinishSignIn();
  const goOn = useAfterSignIn();
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    finish.mutate(
      { provider, ...readCallback(window.location) },
      {
        onSuccess: ({ data }) => {
          const next = loadReturnPath();
          saveReturnPath('');
          if (data) return goOn(data, safeNext(next, '/'));
          toast.good(t(text.bound));
          void navigate({ to: '/personal', replace: true });
        },
      },
    );
  }, [finish, goOn, navigate, provider, t]);
  return finish;
}
