import { useNetwork } from '@mantine/hooks';
import { useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { text } from '../text.ts';

/** Says so while the browser knows it has no network. */
export function OfflineNotice() {
  const t = useTranslate();
  const { online } = useNetwork();
  if (online) return null;
  return (
    <Notice tone="warn" role="status">
      {t(text.offline)}
    </Notice>
  );
}
