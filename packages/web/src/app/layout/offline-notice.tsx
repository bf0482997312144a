import { useNetwork } from '@mantine/hooks';
import { useSay } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { text } from '../text.ts';

/** Says so while the browser knows it has no network. */
export function OfflineNotice() {
  const say = useSay();
  const { online } = useNetwork();
  if (online) return null;
  return (
    <Notice tone="warn" role="status">
      {say(text.offline)}
    </Notice>
  );
}
