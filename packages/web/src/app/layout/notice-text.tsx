import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from '../../lib/i18n.ts';
import { RichText } from '../../shared/rich-html/rich-text.tsx';
import { LoadError } from '../../shared/state/load-error.tsx';
import { text } from '../text.ts';
import { asText, noticeQuery } from './use-notice.ts';

/** The announcement in a dialog. */
export function NoticeText({ mark }: { mark: string }) {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(noticeQuery(mark));
  if (error && data === undefined) return <LoadError error={error} onRetry={refetch} />;
  if (data === undefined) return <Skeleton height={80} />;
  return <RichText source={asText(data)} label={t(text.notice)} />;
}
