import { useBlocker } from '@tanstack/react-router';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';

const text = texts({
  title: { zh: '放弃未保存的修改？', en: 'Leave without saving?' },
  body: { zh: '您修改的设置将会丢失。', en: 'The settings you changed will be lost.' },
  action: { zh: '放弃修改', en: 'Discard changes' },
});

/** Rendered with unsaved settings: leaving the page asks first; changing its tab does not. */
export function LeaveGuard() {
  const t = useTranslate();
  const confirm = useConfirm();
  useBlocker({
    enableBeforeUnload: true,
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname) return false;
      return !(await confirm({
        title: t(text.title),
        body: t(text.body),
        action: t(text.action),
        danger: true,
        keeps: true,
      }));
    },
  });
  return null;
}
