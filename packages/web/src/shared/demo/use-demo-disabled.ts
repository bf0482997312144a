import { useDemo } from '../../lib/api/status.ts';
import { texts, useTranslate } from '../../lib/i18n.ts';

const text = texts({
  reason: { zh: '演示站点不能进行此操作。', en: 'This is not available on a demo site.' },
});

/** Props that disable a control on a demo site with the reason; empty on other sites. */
export function useDemoDisabled(): { disabled?: true; title?: string } {
  const t = useTranslate();
  return useDemo() ? { disabled: true, title: t(text.reason) } : {};
}
