import { Button, Group, Progress } from '@mantine/core';
import { channelApi, channelStatus } from '@tollgate/contract';
import { FlaskConical } from 'lucide-react';
import { call } from '../../../lib/api/api-client.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { testChannel } from '../base/queries.ts';
import { batchText as text } from '../base/text.ts';
import { useBatchRun, type BatchProgress } from './use-batch-run.ts';

/** Enables, disables or tests the ticked channels. They stay ticked, so that the opposite action is one click away. */
export function BatchRun({ ids }: { ids: readonly number[] }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const { progress, run, stop } = useBatchRun();

  const setStatus = async (status: number) => {
    const isEnabling = status === channelStatus.enabled;
    if (!isEnabling) {
      const action = t(text.disableSelected);
      const title = t(text.disableSelectedTitle, { count: ids.length });
      if (!(await confirm({ title, body: t(text.disableSelectedBody), action }))) return;
    }
    const { done, failed } = await run(ids, (id) => call(channelApi.update, { id, status }));
    if (done > failed)
      toast.good(t(isEnabling ? text.enabledCount : text.disabledCount, { count: done - failed }));
    if (failed > 0) toast.bad(t(text.changeFailed, { count: failed }));
  };
  const test = async () => {
    const { done, failed } = await run(ids, (id, signal) => testChannel(id, '', signal));
    if (failed > 0) toast.bad(t(text.someFailed, { done, failed }));
    else if (done > 0) toast.good(t(text.allPassed, { done }));
  };

  if (progress) return <Running progress={progress} onStop={stop} />;
  return (
    <>
      <MutationButton variant="default" onClick={() => void setStatus(channelStatus.enabled)}>
        {t(text.enableSelected)}
      </MutationButton>
      <MutationButton variant="default" onClick={() => void setStatus(channelStatus.disabled)}>
        {t(text.disableSelected)}
      </MutationButton>
      <MutationButton variant="default" leftSection={<FlaskConical size={15} />} onClick={() => void test()}>
        {t(text.testSelected)}
      </MutationButton>
    </>
  );
}

function Running({ progress, onStop }: { progress: BatchProgress; onStop: () => void }) {
  const t = useTranslate();
  const { done, failed, total } = progress;
  return (
    <Group gap={12} role="status">
      <span className="tabular">{t(text.running, { done, total, failed })}</span>
      <Progress value={(done / total) * 100} w={140} size="sm" aria-label={t(text.runningLabel)} />
      <Button size="compact-sm" variant="default" onClick={onStop}>
        {t(text.stop)}
      </Button>
    </Group>
  );
}
