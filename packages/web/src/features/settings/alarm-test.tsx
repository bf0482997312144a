import { Button, Group } from '@mantine/core';
import { alarmApi } from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';

const text = texts({
  send: { zh: '发送测试告警', en: 'Send a test' },
  saveFirst: { zh: '使用已保存的设置', en: 'With the saved settings' },
  none: { zh: '尚未设置邮箱或消息服务', en: 'Neither mail nor a service is set up' },
  mail: { zh: '邮件', en: 'Mail' },
  post: { zh: '消息服务', en: 'Service' },
  delivered: { zh: '{way}：已送达', en: '{way}: delivered' },
  failed: { zh: '{way}：{failure}', en: '{way}: {failure}' },
});

/** Sends a test alarm by every way that is saved, and shows what became of it. */
export function AlarmTest() {
  const t = useTranslate();
  const test = useMutation({ mutationFn: () => call(alarmApi.test, {}) });
  return (
    <>
      <Group>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t(text.send)}
        </Button>
        <span>{t(text.saveFirst)}</span>
      </Group>
      {test.data?.length === 0 && <Notice tone="warn">{t(text.none)}</Notice>}
      {test.data?.map(({ way, failure }) => (
        <Notice key={way} tone={failure === '' ? 'good' : 'warn'}>
          {t(failure === '' ? text.delivered : text.failed, { way: t(text[way]), failure })}
        </Notice>
      ))}
    </>
  );
}
