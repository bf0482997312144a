import { useDemo } from '../../lib/api/status.ts';
import { useSay } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { text } from '../text.ts';

/** Says what can be done on a demo site, to those who cannot change it. */
export function DemoNotice() {
  const say = useSay();
  return useDemo() ? <Notice tone="warn">{say(text.demoHint)}</Notice> : null;
}
