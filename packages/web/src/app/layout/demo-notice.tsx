import { useDemo } from '../../lib/api/status.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { text } from '../text.ts';

/** Says what can be done on a demo site, to those who cannot change it. */
export function DemoNotice() {
  const t = useTranslate();
  return useDemo() ? <Notice tone="warn">{t(text.demoHint)}</Notice> : null;
}
