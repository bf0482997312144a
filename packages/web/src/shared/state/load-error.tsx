import { Button } from '@mantine/core';
import { CloudOff, SearchX } from 'lucide-react';
import { ApiError, errorMessage } from '../../lib/api/api-error.ts';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { EmptyState } from '../../ui/empty-state.tsx';

const text = texts({
  failed: { zh: '无法加载', en: 'Could not load' },
  missing: { zh: '找不到', en: 'Not found' },
  retry: { zh: '重试', en: 'Try again' },
  requestId: { zh: '请求 ID：{id}', en: 'Request ID: {id}' },
});

interface LoadErrorProps {
  error: Error;
  onRetry: () => unknown;
}

/** A missing record stays missing, so there is no retry. */
const isMissing = (error: Error): boolean =>
  error instanceof ApiError && error.code?.endsWith('_not_found') === true;

/** A load error: the reason, a retry button, and an id to quote to an administrator. */
export function LoadError({ error, onRetry }: LoadErrorProps) {
  const t = useTranslate();
  const language = useLanguage();
  if (isMissing(error))
    return (
      <EmptyState icon={<SearchX size={20} />} title={t(text.missing)} hint={errorMessage(error, language)} />
    );
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <EmptyState
      tone="bad"
      icon={<CloudOff size={20} />}
      title={t(text.failed)}
      hint={
        <>
          {errorMessage(error, language)}
          {requestId && (
            <>
              <br />
              {t(text.requestId, { id: requestId })}
            </>
          )}
        </>
      }
      action={
        <Button variant="default" onClick={() => onRetry()}>
          {t(text.retry)}
        </Button>
      }
    />
  );
}
