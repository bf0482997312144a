import { CloseButton } from '@mantine/core';
import { statusApi } from '@tollgate/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { useSay } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { lazy } from '../../lib/lazy.ts';
import { stored } from '../../lib/storage.ts';
import { Notice } from '../../ui/notice.tsx';
import { text } from '../text.ts';
import classes from './frame.module.css';

const noticeQuery = queryOptions({
  queryKey: ['notice'],
  queryFn: ({ signal }) => call(statusApi.notice, {}, { signal }),
  staleTime: 300_000,
});

/** The sanitiser is only fetched by sites that announce something. */
const RichText = lazy(async () => ({
  default: (await import('../../shared/rich-html/rich-text.tsx')).RichText,
}));

/** An address alone would fill the window with its page; in an announcement it is a link. */
const asText = (source: string) => (/^https:\/\/\S+$/.test(source.trim()) ? `<${source.trim()}>` : source);

/** The operator's announcement: put away once, it stays away until its text changes. */
export function SiteNotice() {
  const say = useSay();
  const hasNotice = useStatus()?.has_notice ?? false;
  const { data = '' } = useQuery({ ...noticeQuery, enabled: hasNotice });
  const seen = stored.noticeSeen.use();
  if (!hasNotice || data.trim() === '' || data === seen) return null;
  return (
    <div className={classes.notice}>
      <Notice
        role="status"
        actions={
          <CloseButton
            size="sm"
            aria-label={say(text.hideNotice)}
            onClick={() => stored.noticeSeen.set(data)}
          />
        }
      >
        <Suspense fallback={null}>
          <RichText source={asText(data)} label={say(text.notice)} />
        </Suspense>
      </Notice>
    </div>
  );
}
