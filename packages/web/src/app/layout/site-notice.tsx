import { CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { Notice } from '../../ui/notice.tsx';
import { text } from '../text.ts';
import classes from './frame.module.css';
import { asText, noticeQuery, useNotice } from './use-notice.ts';

/** Only sites with an announcement fetch the sanitiser. */
const RichText = lazy(async () => ({
  default: (await import('../../shared/rich-html/rich-text.tsx')).RichText,
}));

/** The operator's announcement. It stays hidden after it is dismissed, until its text changes. */
export function SiteNotice() {
  const t = useTranslate();
  const { mark, isRead, setRead } = useNotice();
  const isShown = mark !== '' && !isRead;
  const { data = '' } = useQuery({ ...noticeQuery(mark), enabled: isShown });
  if (!isShown || data.trim() === '') return null;
  return (
    <div className={classes.notice}>
      <Notice
        role="status"
        actions={<CloseButton size="sm" aria-label={t(text.hideNotice)} onClick={setRead} />}
      >
        <Suspense fallback={null}>
          <RichText source={asText(data)} label={t(text.notice)} />
        </Suspense>
      </Notice>
    </div>
  );
}
