import { ActionIcon } from '@mantine/core';
import { Bell } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { openLazyDialog } from '../../shared/dialog/open-lazy-dialog.ts';
import { text } from '../text.ts';
import classes from './header.module.css';
import { useNotice } from './use-notice.ts';

/** Reopens a dismissed announcement; shows a dot until it is read. Hidden without an announcement. */
export function NoticeBell() {
  const t = useTranslate();
  const { mark, isRead, setRead } = useNotice();
  if (mark === '') return null;
  const open = () => {
    setRead();
    void openLazyDialog({
      title: t(text.notice),
      body: async () => {
        const { NoticeText } = await import('./notice-text.tsx');
        return <NoticeText mark={mark} />;
      },
    });
  };
  return (
    <ActionIcon
      className={classes.bell}
      size={34}
      data-unread={!isRead || undefined}
      aria-label={t(isRead ? text.notice : text.unreadNotice)}
      onClick={open}
    >
      <Bell size={17} />
    </ActionIcon>
  );
}
