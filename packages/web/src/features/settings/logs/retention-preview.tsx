import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { Notice } from '../../../ui/notice.tsx';
import classes from './logs.module.css';
import { text } from './text.ts';
import { countBefore } from './use-clean-logs.ts';

const daySeconds = 24 * 3600;

/** The server's cut-off time: a number of whole days (UTC) before today. */
function momentOf(days: number): number {
  const now = Math.floor(Date.now() / 1000);
  return now - (now % daySeconds) - days * daySeconds;
}

/** Number of rows to delete with the typed days; empty if all are kept. */
export function RetentionPreview({ days }: { days: number }) {
  const t = useTranslate();
  const language = useLanguage();
  const before = momentOf(days);
  const isLimited = Number.isInteger(days) && days > 0;
  const { data, error } = useQuery({
    queryKey: ['log-count', before],
    queryFn: ({ signal }) => countBefore(before, signal),
    enabled: isLimited,
    meta: { quiet: true },
  });
  if (!isLimited) return null;
  if (error) return <Notice tone="warn">{errorMessage(error, language)}</Notice>;
  if (data === undefined) return <Skeleton height={20} />;
  return (
    <p className={classes.note} role="status">
      {data === 0 ? t(text.noneWouldGo) : t(text.wouldGo, { count: data, time: formatDateTime(before) })}
    </p>
  );
}
