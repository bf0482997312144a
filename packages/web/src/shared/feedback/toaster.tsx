import { CloseButton } from '@mantine/core';
import { CircleAlert, CircleCheck, Info } from 'lucide-react';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { dismissToast, shownToasts } from './toast.ts';
import classes from './toaster.module.css';

const text = texts({ close: { zh: '关闭', en: 'Close' } });
const icons = { good: CircleCheck, info: Info, bad: CircleAlert };

/** Shows toasts. The region is always present, because screen readers only announce changes inside an existing one. */
export function Toaster() {
  const t = useTranslate();
  const toasts = shownToasts.use();
  return (
    <div className={classes.toaster} role="status" aria-live="polite">
      {toasts.map(({ id, tone, message }) => {
        const Icon = icons[tone];
        return (
          <div key={id} className={classes.toast} data-tone={tone}>
            <Icon size={17} className={classes.icon} aria-hidden="true" />
            <span className={classes.words}>{message}</span>
            <CloseButton size="xs" aria-label={t(text.close)} onClick={() => dismissToast(id)} />
          </div>
        );
      })}
    </div>
  );
}
