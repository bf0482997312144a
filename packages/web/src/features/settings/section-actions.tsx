import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { formatDateTime } from '../../lib/format/date-format.ts';
import { wordsOf } from '../../lib/api/api-error.ts';
import { useLanguage, useSay } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { fromDateText, toDateText } from '../../shared/date-time/date-text.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { WhenNear } from '../../shared/late/when-near.tsx';
import { useCleanLogs, useResetRatios } from './draft/queries.ts';
import { text } from './text.ts';

/** Puts all model ratios back to their defaults. */
export function RatioReset() {
  const say = useSay();
  const confirm = useConfirm();
  const reset = useResetRatios();
  const run = async () => {
    const action = say(text.resetRatios);
    if (await confirm({ title: action, body: say(text.resetRatiosBody), action, danger: true }))
      reset.mutate(undefined, { onSuccess: () => toast.good(say(text.resetDone)) });
  };
  return (
    <Group>
      <Button variant="default" loading={reset.isPending} onClick={() => void run()}>
        {say(text.resetRatios)}
      </Button>
    </Group>
  );
}

/** The calendar is the heaviest part of the page and stands far down in it. */
const DateTimeField = lazy(async () => ({
  default: (await import('../../shared/date-time/date-time-field.tsx')).DateTimeField,
}));

const monthSeconds = 30 * 24 * 3600;
const aMonthAgo = () => toDateText(Math.floor(Date.now() / 1000) - monthSeconds);

/** Deletes the log before a moment; a month ago to begin with. */
export function LogCleaner() {
  const say = useSay();
  const confirm = useConfirm();
  const language = useLanguage();
  const clean = useCleanLogs();
  const [before, setBefore] = useState<string | null>(aMonthAgo);
  const run = async () => {
    const moment = fromDateText(before);
    if (moment === null || Number.isNaN(moment)) return toast.bad(say(text.cleanTime));
    const agreed = await confirm({
      title: say(text.cleanLogs),
      body: say(text.cleanBody, { time: formatDateTime(moment) }),
      action: say(text.cleanLogs),
      danger: true,
    });
    if (agreed)
      clean.mutate(moment, {
        onSuccess: (count) => toast.good(say(text.cleaned, { count })),
        onError: (error) => toast.bad(say(text.cleanFailed, { reason: wordsOf(error, language) })),
      });
  };
  return (
    <Group align="flex-end" gap="xs">
      <WhenNear height={60} width={220} ahead={100}>
        <DateTimeField label={say(text.cleanBefore)} w={220} value={before} onChange={setBefore} />
      </WhenNear>
      <Button variant="default" loading={clean.isPending} onClick={() => void run()}>
        {say(text.cleanLogs)}
      </Button>
    </Group>
  );
}
