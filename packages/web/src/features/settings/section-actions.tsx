import { Button, Group } from '@mantine/core';
import { useSay } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { useResetRatios } from './draft/queries.ts';
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
