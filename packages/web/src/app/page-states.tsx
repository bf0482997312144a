import { Button, Skeleton, Stack } from '@mantine/core';
import { role } from '@tollgate/contract';
import { Link, useLocation, type ErrorComponentProps } from '@tanstack/react-router';
import { CloudOff, Compass, Lock, TriangleAlert } from 'lucide-react';
import { ApiError, errorMessage } from '../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../lib/i18n.ts';
import { MissingCodeError } from '../lib/lazy.ts';
import { useCurrentUser } from '../lib/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ChunkLoadError } from './chunk-load-error.tsx';
import { pageTitles, text } from './text.ts';

/** Skeleton shown while a page's code loads. */
export function PageSkeleton() {
  return (
    <Stack gap="md" aria-hidden="true">
      <Skeleton height={26} width={180} />
      <Skeleton height={74} />
      <Skeleton height={320} />
    </Stack>
  );
}

/** An address without a page. */
export function NotFound() {
  const t = useTranslate();
  const { pathname } = useLocation();
  return (
    <EmptyState
      page
      icon={<Compass size={20} />}
      title={t(pageTitles.notFound)}
      hint={t(text.notFoundHint, { path: pathname })}
      action={
        <Button component={Link} to="/" variant="default">
          {t(text.toHome)}
        </Button>
      }
    />
  );
}

/** A page above the person's role. */
export function NoAccess() {
  const t = useTranslate();
  // Administrators are refused only on pages for the super admin.
  const isAdmin = (useCurrentUser()?.role ?? role.guest) >= role.admin;
  const hint = t(isAdmin ? text.forRootHint : text.noAccessHint);
  return (
    <EmptyState
      page
      icon={<Lock size={20} />}
      title={t(text.noAccess)}
      hint={hint}
      action={
        <Button component={Link} to="/" variant="default">
          {t(text.toHome)}
        </Button>
      }
    />
  );
}

/** Shown for a page that threw an error: the error, and a way to continue. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const t = useTranslate();
  const language = useLanguage();
  if (error instanceof MissingCodeError) return <ChunkLoadError onArrived={reset} />;
  const unreachable = error instanceof ApiError && (error.status === 0 || error.status >= 502);
  return (
    <EmptyState
      page
      tone="bad"
      icon={unreachable ? <CloudOff size={20} /> : <TriangleAlert size={20} />}
      title={t(unreachable ? text.unreachable : text.crashed)}
      hint={unreachable ? t(text.unreachableHint) : `${t(text.crashedHint)} ${errorMessage(error, language)}`}
      action={<Button onClick={reset}>{t(text.retry)}</Button>}
    />
  );
}
