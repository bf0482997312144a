import { Button, CloseButton, Group, Menu, Progress } from '@mantine/core';
import { channelApi, type ChannelTestProgress, sayChannelFailure } from '@tollgate/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronDown, CircleDollarSign, FlaskConical, Trash2, Wrench } from 'lucide-react';
import { call } from '../../../lib/api/api-client.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { MutationMenuItem } from '../../../shared/demo/mutation-menu-item.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { LazyMenu } from '../../../shared/lazy/lazy-menu.tsx';
import { root, testProgressQuery, useChannelMutation } from '../base/queries.ts';
import { batchText as text } from '../base/text.ts';
import { useEffect, useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';

interface TestSummaryProps {
  result: ChannelTestProgress;
  onClose: () => void;
}

/** Result of a test of all channels: the number of failures, and the reason of each. */
function TestSummary({ result, onClose }: TestSummaryProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { done, failed, failures } = result;
  return (
    <div style={{ padding: '0 16px 12px' }}>
      <Notice
        tone={failed === 0 ? 'good' : 'bad'}
        role="status"
        actions={<CloseButton size="sm" aria-label={t(text.close)} onClick={onClose} />}
      >
        {t(failed === 0 ? text.allPassed : text.someFailed, { done, failed })}
        {failures.length > 0 && (
          <ul style={{ margin: '6px 0 0', paddingInlineStart: 18, maxHeight: 180, overflowY: 'auto' }}>
            {failures.map(({ id, name, failure }) => (
              <li key={id}>
                <strong>{name}</strong> · {sayChannelFailure(failure, language)}
              </li>
            ))}
          </ul>
        )}
        {failed > failures.length && t(text.moreFailed, { count: failed - failures.length })}
      </Notice>
    </div>
  );
}

/**
 * The result of a test of all channels that ended while this page was open, until it is dismissed, and a function that
 * dismisses it. The list of channels is refetched at the end of the test, because its colours have changed.
 */
function useTestSummary(
  progress: ChannelTestProgress | undefined,
): [result: ChannelTestProgress | null, close: () => void] {
  const client = useQueryClient();
  const [wasRunning, setWasRunning] = useState(false);
  const [isEnded, setEnded] = useState(false);
  const running = progress?.running ?? false;
  if (running !== wasRunning) {
    setWasRunning(running);
    setEnded(!running);
  }
  useEffect(() => {
    if (isEnded) void client.invalidateQueries({ queryKey: root });
  }, [client, isEnded]);
  return [isEnded && progress ? progress : null, () => setEnded(false)];
}

/** The actions on all channels; irreversible ones ask first. */
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

/** The menu above the list with actions on all channels. */
export function AllMenu() {
  const t = useTranslate();
  const { isRunning, test, repair, updateBalances, remove } = useAllActions();
  return (
    <LazyMenu
      button={(props) => (
        <Button {...props} variant="default" rightSection={<ChevronDown size={14} />} loading={isRunning}>
          {t(text.all)}
        </Button>
      )}
    >
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
    </LazyMenu>
  );
}

/** Progress of the test of all channels while it runs; afterwards the failed channels and their reasons. */
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
