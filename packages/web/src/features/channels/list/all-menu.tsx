import { Button, Group, Menu, Progress } from '@mantine/core';
import { channelApi } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, CircleDollarSign, FlaskConical, Trash2, Wrench } from 'lucide-react';
import { call } from '../../../lib/api/api-client.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { MutationMenuItem } from '../../../shared/demo/mutation-menu-item.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { TestSummary } from './test-summary.tsx';
import { useTestSummary } from './use-test-summary.ts';
import { testProgressQuery, useChannelMutation } from '../base/queries.ts';
import { batchText as text } from '../base/text.ts';

/** The actions on all channels; those that cannot be taken back ask first. */
function useAllActions() {
  const t = useTranslate();
  const confirm = useConfirm();
  const testAll = useChannelMutation(() => call(channelApi.testAll, {}));
  const balances = useChannelMutation(() => call(channelApi.updateBalances, {}));
  const removeDisabled = useChannelMutation(() => call(channelApi.removeDisabled, {}));
  const fix = useChannelMutation(() => call(channelApi.fix, {}));

  const updateBalances = async () => {
    const agreed = await confirm({
      title: t(text.updateBalances),
      body: t(text.balancesHint),
      action: t(text.confirm),
    });
    if (agreed) balances.mutate(undefined, { onSuccess: () => toast.good(t(text.balancesUpdated)) });
  };
  const remove = async () => {
    const action = t(text.removeDisabled);
    const agreed = await confirm({ title: action, body: t(text.removeDisabledBody), action, danger: true });
    if (agreed)
      removeDisabled.mutate(undefined, {
        onSuccess: (count) => toast.good(t(text.removedCount, { count })),
      });
  };
  return {
    isRunning: balances.isPending || removeDisabled.isPending || fix.isPending,
    test: () => testAll.mutate(undefined, { onSuccess: () => toast.info(t(text.testStarted)) }),
    repair: () => fix.mutate(undefined, { onSuccess: (count) => toast.good(t(text.fixed, { count })) }),
    updateBalances: () => void updateBalances(),
    remove: () => void remove(),
  };
}

/** The menu above the list of channels, for all of them at once. */
export function AllMenu() {
  const t = useTranslate();
  const { isRunning, test, repair, updateBalances, remove } = useAllActions();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<ChevronDown size={14} />} loading={isRunning}>
          {t(text.all)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <MutationMenuItem leftSection={<FlaskConical size={15} />} onClick={test}>
          {t(text.testAll)}
        </MutationMenuItem>
        <Menu.Item leftSection={<CircleDollarSign size={15} />} onClick={updateBalances}>
          {t(text.updateBalances)}
        </Menu.Item>
        <MutationMenuItem leftSection={<Wrench size={15} />} onClick={repair}>
          {t(text.fix)}
        </MutationMenuItem>
        <Menu.Divider />
        <Menu.Item leftSection={<Trash2 size={15} />} color="var(--tg-bad)" onClick={remove}>
          {t(text.removeDisabled)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** How far the test of all channels is, while it runs; afterwards which channels failed, and why. */
export function TestProgress() {
  const t = useTranslate();
  const { data } = useQuery(testProgressQuery);
  const stop = useChannelMutation(() => call(channelApi.stopTest, {}));
  const [summary, close] = useTestSummary(data);
  if (summary) return <TestSummary result={summary} onClose={close} />;
  if (!data?.running) return null;
  const { done, total, failed } = data;
  return (
    <Group gap="sm" px="md" pb="sm" wrap="nowrap" role="status">
      <span className="tabular">{t(text.testing, { done, total, failed })}</span>
      <Progress
        value={total === 0 ? 0 : (done / total) * 100}
        flex={1}
        size="sm"
        aria-label={t(text.testAll)}
      />
      <Button
        size="compact-sm"
        variant="default"
        loading={stop.isPending}
        onClick={() => stop.mutate(undefined)}
      >
        {t(text.stop)}
      </Button>
    </Group>
  );
}
