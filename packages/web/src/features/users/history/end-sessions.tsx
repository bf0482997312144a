import { Button } from '@mantine/core';
import type { ManagedUserData } from '@tollgate/contract';
import { texts, useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useEndSessions } from './queries.ts';

// Here, so that they load with the tab and not with the page.
const text = texts({
  end: { zh: '结束所有会话', en: 'End all sessions' },
  title: { zh: '结束“{name}”的所有会话？', en: 'End all sessions of “{name}”?' },
  body: {
    zh: '对方在所有设备上都会立即退出登录。系统访问令牌和令牌仍然有效。',
    en: 'They are signed out on every device at once. Their access token and keys stay valid.',
  },
  ended: { zh: '所有会话已结束', en: 'All sessions are ended' },
});

/** Signs somebody out everywhere, after a question. */
export function EndSessions({ user }: { user: Pick<ManagedUserData, 'id' | 'username'> }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const end = useEndSessions();
  const ask = async () => {
    const agreed = await confirm({
      title: t(text.title, { name: user.username }),
      body: t(text.body),
      action: t(text.end),
      danger: true,
    });
    if (agreed) end.mutate(user.id, { onSuccess: () => toast.good(t(text.ended)) });
  };
  return (
    <Button variant="default" size="xs" loading={end.isPending} onClick={() => void ask()}>
      {t(text.end)}
    </Button>
  );
}
