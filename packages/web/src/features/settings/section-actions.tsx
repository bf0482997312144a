import { Button, Group } from '@mantine/core';
import { useTranslate } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { useResetRatios } from './draft/queries.ts';
import { text } from './text.ts';

/** Puts all model ratios back to their defaults. */
export function RatioReset() {
  const t = useTranslate();
  const confirm = useConfirm();
  const reset = useResetRatios();
  const run = async () => {
    const action = t(text.resetRatios);
    if (await confirm({ title: action, body: t(text.resetRatiosBody), action, danger: true }))
      reset.mutate(undefined, { onSuccess: () => toast.good(t(text.resetDone)) });
  };
  return (
    <Group>
      <Button variant="default" loading={reset.isPending} onClick={() => void run()}>
        {t(text.resetRatios)}
      </Button>
    </Group>
  );
}
