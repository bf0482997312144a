import { Button, Group, Progress } from '@mantine/core';
import { useState } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { DateTimeField } from '../../../shared/date-time/date-time-field.tsx';
import { fromDateText, toDateText } from '../../../shared/date-time/date-text.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import classes from './logs.module.css';
import { text } from './text.ts';
import { countBefore, useCleanLogs } from './use-clean-logs.ts';

const monthSeconds = 30 * 24 * 3600;
const aMonthAgo = () => toDateText(Math.floor(Date.now() / 1000) - monthSeconds);

/** Deletes the log before a moment, a month ago by default: shows the number of rows first, then the progress. */
export function LogCleaner() {
  const t = useTranslate();
  const language = useLanguage();
  const confirm = useConfirm();
  const { state, run, stop } = useCleanLogs();
  const [before, setBefore] = useState<string | null>(aMonthAgo);

  const clean = async (moment: number) => {
    const time = formatDateTime(moment);
    const count = await countBefore(moment);
    if (count === 0) return toast.good(t(text.nothing, { time }));
    const action = t(text.clean);
    const body = t(text.question, { time, count });
    if (!(await confirm({ title: action, body, action, danger: true }))) return;
    const { done, whole } = await run(moment, count);
    toast.good(t(whole ? text.cleaned : text.stopped, { count: done }));
  };
  const start = () => {
    const moment = fromDateText(before);
    if (moment === null || Number.isNaN(moment)) return toast.bad(t(text.chooseTime));
    clean(moment).catch((error: unknown) =>
      toast.bad(t(text.failed, { reason: errorMessage(error, language) })),
    );
  };
  if (state)
    return (
      <div role="status">
        <Group justify="space-between" mb={6}>
          <span className={classes.note}>{t(text.progress, { done: state.done, total: state.total })}</span>
          <Button variant="default" size="xs" onClick={stop}>
            {t(text.stop)}
          </Button>
        </Group>
        <Progress value={(100 * state.done) / Math.max(1, state.total)} aria-label={t(text.clean)} />
      </div>
    );
  return (
    <Group align="flex-end" gap="xs">
      <DateTimeField label={t(text.before)} w={220} value={before} onChange={setBefore} />
      <Button variant="default" onClick={start}>
        {t(text.clean)}
      </Button>
    </Group>
  );
}
