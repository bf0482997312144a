import { role } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { useTranslate } from '../../../lib/i18n.ts';
import { useStatus } from '../../../lib/api/status.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { Notice } from '../../../ui/notice.tsx';
import { text } from '../base/text.ts';

/** Told to administrators while callbacks are off: root can switch them on. */
export function CallbackNotice() {
  const t = useTranslate();
  const status = useStatus();
  const level = useCurrentUser()?.role ?? 0;
  if (level < role.admin || !status || status.mj_notify_enabled) return null;
  return (
    <Notice
      actions={
        level >= role.root && (
          <Link to="/setting" search={{ tab: 'operation' }}>
            {t(text.openSettings)}
          </Link>
        )
      }
    >
      {t(text.callbackOff)}
    </Notice>
  );
}
