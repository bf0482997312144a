import { Button, Group, Stack } from '@mantine/core';
import { type Alarm, alarmApi, alarmWords } from '@tollgate/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { formatDateTime } from '../../lib/format/date-format.ts';
import { openReplacement } from '../../shared/replace-model/open-replacement.ts';
import { AlarmPlaces } from './alarm-places.tsx';
import { Notice } from '../../ui/notice.tsx';

const text = texts({
  send: { zh: '发送测试告警', en: 'Send a test' },
  saveFirst: { zh: '使用已保存的设置', en: 'With the saved settings' },
  none: { zh: '尚未设置邮箱或消息服务', en: 'Neither mail nor a service is set up' },
  delivered: { zh: '{way}：已送达', en: '{way}: delivered' },
  failed: { zh: '{way}：{failure}', en: '{way}: {failure}' },
  quiet: { zh: '当前没有告警', en: 'No alarms now' },
  replace: { zh: '替换…', en: 'Replace…' },
  replaceTitle: { zh: '替换将停用的模型', en: 'Replace a retiring model' },
  current: { zh: '{text}（自 {time}）', en: '{text} (since {time})' },
});

const shown = 6;

/** Current alarms, and a test of every saved notification method with its result. */
export function AlarmFacts() {
  const t = useTranslate();
  const test = useMutation({ mutationFn: () => call(alarmApi.test, {}) });
  return (
    <Stack gap="sm">
      <CurrentAlarms />
      <AlarmPlaces />
      <Group>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t(text.send)}
        </Button>
        <span>{t(text.saveFirst)}</span>
      </Group>
      {test.data?.length === 0 && <Notice tone="warn">{t(text.none)}</Notice>}
      {test.data?.map(({ way, name, failure }) => (
        <Notice key={way} tone={failure === '' ? 'good' : 'warn'}>
          {t(failure === '' ? text.delivered : text.failed, { way: name, failure })}
        </Notice>
      ))}
    </Stack>
  );
}

function CurrentAlarms() {
  const t = useTranslate();
  const { data } = useQuery({
    queryKey: ['alarms'],
    queryFn: ({ signal }) => call(alarmApi.list, {}, { signal }),
  });
  if (!data) return null;
  if (data.length === 0) return <span>{t(text.quiet)}</span>;
  return data
    .slice(0, shown)
    .map((alarm) => <CurrentAlarm key={`${alarm.cause} ${alarm.subject}`} {...alarm} />);
}

function CurrentAlarm({ cause, name, detail, since }: Alarm) {
  const t = useTranslate();
  const words = t(alarmWords[cause], { name, detail });
  const replace = cause === 'model_retires' && (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => void openReplacement(t(text.replaceTitle), [name])}
    >
      {t(text.replace)}
    </Button>
  );
  return (
    <Notice tone="bad" actions={replace}>
      {t(text.current, { text: words, time: formatDateTime(since) })}
    </Notice>
  );
}
