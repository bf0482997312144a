import { Group, Loader } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiError, wordsOf } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { Notice } from '../../ui/notice.tsx';
import { safeNext, useAfterSignIn } from './after-sign-in.ts';
import { AuthCard } from './auth-card.tsx';
import { useFinishSignIn } from './queries.ts';
import { returnedBy } from './returned.ts';
import { text } from './text.ts';
import { keepWayBack, wayBack } from './way-back.ts';

const hasCode = (error: Error, code: string): boolean => error instanceof ApiError && error.code === code;

/** The server's words for it are those that older clients look for; they tell people nothing. */
const isStale = (error: Error): boolean => hasCode(error, 'oauth_state_wrong');

/** An address that names no provider of this site. */
const isUnknown = (error: Error): boolean => hasCode(error, 'row_not_found');

/** Where the pages of other sites lead back to: ends what was begun there, and goes on. */
export function Page() {
  const t = useTranslate();
  const language = useLanguage();
  const user = useCurrentUser();
  const finish = useReturn();
  return (
    <AuthCard
      title={t(text.oauthTitle)}
      foot={
        finish.isError && (
          <Link
            to={user ? '/personal' : '/login'}
            search={user || wayBack() === '' ? {} : { next: wayBack() }}
          >
            {t(user ? text.backToPersonal : text.backToLogin)}
          </Link>
        )
      }
    >
      {finish.isError ? (
        <Notice tone="bad" role="alert">
          {isUnknown(finish.error) ? t(text.oauthUnknown) : wordsOf(finish.error, language)}
          {isStale(finish.error) && <p>{t(text.oauthStale)}</p>}
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

/** Sends what came back, once: it is good once, and a second look at this page must not send it again. */
function useReturn() {
  const t = useTranslate();
  const navigate = useNavigate();
  const { provider = '' }: { provider?: string } = useParams({ strict: false });
  const finish = useFinishSignIn();
  const goOn = useAfterSignIn();
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    finish.mutate(
      { provider, ...returnedBy(window.location) },
      {
        onSuccess: ({ data }) => {
          const next = wayBack();
          keepWayBack('');
          if (data) return goOn(data, safeNext(next, '/'));
          toast.good(t(text.bound));
          void navigate({ to: '/personal', replace: true });
        },
      },
    );
  }, [finish, goOn, navigate, provider, t]);
  return finish;
}
