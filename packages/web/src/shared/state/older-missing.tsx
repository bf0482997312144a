import { texts, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';

const text = texts({
  olderMissing: {
    zh: '较早的日志存放在另一个数据库中，目前无法读取：这里只显示最近的记录，不显示统计。调用与计费不受影响。',
    en: 'Older entries are kept in another database, which cannot be read now: only the newest are shown, and no sums. Calls and balances are not affected.',
  },
});

/** Shown above a list of log rows without the older ones (`older_missing` of its page). */
export function OlderMissing({ of }: { of: { older_missing?: boolean } | undefined }) {
  const t = useTranslate();
  if (!of?.older_missing) return null;
  return (
    <Notice tone="warn" role="status">
      {t(text.olderMissing)}
    </Notice>
  );
}
