import { Button, Group } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { toast } from '../feedback/toast.ts';

const text = texts({
  start: { zh: '导出数据', en: 'Export data' },
  stop: { zh: '停止', en: 'Stop' },
  progress: {
    zh: '正在导出，已读取 {count} 条',
    en: { one: 'Exporting: {count} entry so far', other: 'Exporting: {count} entries so far' },
  },
  done: {
    zh: '已导出 {count} 条数据',
    en: { one: '{count} entry exported', other: '{count} entries exported' },
  },
});

/** Exports the stored data of a user, by default the user's own, with progress and a stop button. */
export function ExportButton({ userId }: { userId?: number }) {
  const t = useTranslate();
  const language = useLanguage();
  const [count, setCount] = useState<number | null>(null);
  const running = useRef<AbortController>(undefined);
  // Leaving the page cancels the export.
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setCount(0);
    try {
      const { exportPersonalData } = await import('./export.ts');
      const total = await exportPersonalData({ userId, signal: controller.signal, onProgress: setCount });
      toast.good(t(text.done, { count: total }));
    } catch (error) {
      if (!controller.signal.aborted) toast.bad(errorMessage(error, language));
    } finally {
      setCount(null);
    }
  };
  if (count === null)
    return (
      <Button variant="default" onClick={() => void start()}>
        {t(text.start)}
      </Button>
    );
  return (
    <Group gap="sm">
      <span role="status">{t(text.progress, { count })}</span>
      <Button variant="default" onClick={() => running.current?.abort()}>
        {t(text.stop)}
      </Button>
    </Group>
  );
}
