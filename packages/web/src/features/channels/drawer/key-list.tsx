import { Button, Group, Pagination, Select, Skeleton, Stack, Text } from '@mantine/core';
import {
  type CallOf,
  channelApi,
  type ChannelData,
  type ChannelKeyData,
  channelStatus,
} from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { type Text as Words, texts, useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { Dot, type DotTone } from '../../../ui/dot.tsx';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { channelKeysQuery, useChannelMutation } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { KeyLimitDialog, useLimitWords } from './key-limits.tsx';

const keyText = texts({
  title: { zh: '密钥（{count}）', en: { one: '{count} key', other: '{count} keys' } },
  counts: {
    zh: '启用 {on}，手动禁用 {off}，自动禁用 {dead}',
    en: '{on} on, {off} switched off, {dead} auto-disabled',
  },
  state: { zh: '按状态筛选密钥', en: 'Keys in which state' },
  cooling: { zh: '冷却中', en: 'Cooling down' },
  until: { zh: '至', en: 'until' },
  limits: { zh: '限额', en: 'Limits' },
  limitsOf: { zh: '密钥 {hint} 的限额', en: 'Limits of the key {hint}' },
  limitsSaved: { zh: '限额已保存', en: 'Limits saved' },
  uses: { zh: '使用 {count} 次', en: { one: 'used once', other: 'used {count} times' } },
  enableAll: { zh: '全部启用', en: 'Enable all' },
  disableAll: { zh: '全部禁用', en: 'Disable all' },
  deleteDead: { zh: '删除自动禁用的', en: 'Delete auto-disabled' },
  enabledAll: { zh: '全部密钥已启用', en: 'All keys are enabled' },
  disabledAll: { zh: '全部密钥已禁用', en: 'All keys are disabled' },
  deleted: {
    zh: '已删除 {count} 个密钥',
    en: { one: '{count} key is deleted', other: '{count} keys are deleted' },
  },
  disableAllTitle: { zh: '禁用“{name}”的全部密钥？', en: 'Disable all keys of “{name}”?' },
  disableAllBody: {
    zh: '渠道会随最后一个密钥停用，调用改走其他渠道。',
    en: 'The channel goes off with the last key; its calls go to other channels.',
  },
  deleteDeadTitle: {
    zh: '删除自动禁用的 {count} 个密钥？',
    en: { one: 'Delete the auto-disabled key?', other: 'Delete the {count} auto-disabled keys?' },
  },
  deleteTitle: { zh: '删除密钥 {hint}？', en: 'Delete the key {hint}?' },
  deleteBody: {
    zh: '密钥无法恢复，需要时请重新填写。',
    en: 'A key cannot be brought back; it has to be entered again.',
  },
  named: { zh: '{action}密钥 {hint}', en: '{action} the key {hint}' },
  none: { zh: '没有这种状态的密钥', en: 'No key is in this state' },
  pages: { zh: '密钥分页', en: 'Pages of keys' },
});

const pageSize = 10;

type KeyAction = Omit<CallOf<typeof channelApi.manageKeys>, 'channel_id'>;

const states: Readonly<Record<number, { tone: DotTone; word: Words }>> = {
  [channelStatus.enabled]: { tone: 'good', word: text.enabled },
  [channelStatus.disabled]: { tone: 'idle', word: text.disabled },
  [channelStatus.autoDisabled]: { tone: 'bad', word: text.autoDisabled },
};

/** The keys of a multi-key channel with their states and actions. Actions apply at once, independent of the form. */
export function KeyList({ channel: { id, name } }: { channel: ChannelData }) {
  const t = useTranslate();
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState(0);
  const { data } = useQuery(channelKeysQuery({ id, page, pageSize, status }));
  const manage = useChannelMutation((action: KeyAction) =>
    call(channelApi.manageKeys, { channel_id: id, ...action }),
  );
  if (!data) return <Skeleton height={120} />;
  const { keys, total_pages: pages, enabled_count: on, manual_disabled_count: off } = data;
  const dead = data.auto_disabled_count;
  return (
    <Stack gap="xs" role="region" aria-label={t(keyText.title, { count: on + off + dead })}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {t(keyText.counts, { on, off, dead })}
        </Text>
        <Select
          size="xs"
          w={140}
          aria-label={t(keyText.state)}
          allowDeselect={false}
          value={String(status)}
          onChange={(value) => {
            setStatus(Number(value));
            setPage(1);
          }}
          data={[
            { value: '0', label: t(text.allStates) },
            ...Object.entries(states).map(([value, { word }]) => ({ value, label: t(word) })),
          ]}
        />
      </Group>
      {keys.map((key) => (
        <KeyRow key={key.id} shown={key} isBusy={manage.isPending} act={manage.mutate} />
      ))}
      {keys.length === 0 && (
        <Text size="sm" c="dimmed">
          {t(keyText.none)}
        </Text>
      )}
      {pages > 1 && (
        <Pagination
          size="sm"
          total={pages}
          value={Math.min(page, pages)}
          onChange={setPage}
          aria-label={t(keyText.pages)}
        />
      )}
      <AllKeys name={name} counts={{ on, off, dead }} act={manage.mutate} />
    </Stack>
  );
}

interface ActProps {
  act: (action: KeyAction, more?: { onSuccess: (data: unknown) => void }) => void;
}

function KeyRow({ shown, isBusy, act }: ActProps & { shown: ChannelKeyData; isBusy: boolean }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const wireWords = useWireWords();
  const limitWords = useLimitWords();
  const [isLimiting, setLimiting] = useState(false);
  const { id, status, cooldown_until: cooling } = shown;
  // Short keys have no visible characters to distinguish them.
  const hint = `#${shown.index + 1} ${shown.key_preview}`;
  const isOn = status === channelStatus.enabled;
  const { tone, word } = states[status] ?? { tone: 'idle', word: text.unknown };
  const named = (action: Words) => t(keyText.named, { action: t(action), hint });
  const remove = async () => {
    const title = t(keyText.deleteTitle, { hint });
    const action = t(text.remove);
    if (await confirm({ title, body: t(keyText.deleteBody), action, danger: true }))
      act(
        { action: 'delete_key', key_ref: id },
        { onSuccess: () => toast.good(t(keyText.deleted, { count: 1 })) },
      );
  };
  return (
    <Group
      justify="space-between"
      gap="xs"
      p="xs"
      style={{ border: '1px solid var(--tg-border)', borderRadius: 'var(--mantine-radius-sm)' }}
    >
      <Stack gap={2} miw={0} flex="1 1 220px">
        <Group gap="xs">
          <InlineCode>{hint}</InlineCode>
          <Dot tone={cooling > 0 && isOn ? 'warn' : tone}>
            {t(cooling > 0 && isOn ? keyText.cooling : word)}
          </Dot>
          {cooling > 0 && isOn && (
            <Text size="xs" c="dimmed">
              {t(keyText.until)} <Time at={cooling} seconds />
            </Text>
          )}
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t(keyText.uses, { count: shown.uses })}
          {limitWords(shown.limits) !== '' && ` · ${limitWords(shown.limits)}`}
          {shown.reason !== '' && ` · ${wireWords(shown.reason)}`}
          {shown.disabled_time > 0 && (
            <>
              {' · '}
              <Time at={shown.disabled_time} relative />
            </>
          )}
        </Text>
      </Stack>
      <Group gap={4} wrap="nowrap">
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t(keyText.limitsOf, { hint })}
          onClick={() => setLimiting(true)}
        >
          {t(keyText.limits)}
        </Button>
        {isLimiting && (
          <KeyLimitDialog
            hint={hint}
            limits={shown.limits}
            onClose={() => setLimiting(false)}
            onSave={(limits) =>
              act(
                { action: 'limit_key', key_ref: id, limits },
                {
                  onSuccess: () => {
                    setLimiting(false);
                    toast.good(t(keyText.limitsSaved));
                  },
                },
              )
            }
          />
        )}
        <MutationButton
          size="compact-sm"
          variant="light"
          disabled={isBusy}
          aria-label={named(isOn ? text.disable : text.enable)}
          onClick={() => act({ action: isOn ? 'disable_key' : 'enable_key', key_ref: id })}
        >
          {t(isOn ? text.disable : text.enable)}
        </MutationButton>
        <Button
          size="compact-sm"
          variant="subtle"
          color="var(--tg-bad)"
          aria-label={named(text.remove)}
          onClick={() => void remove()}
        >
          {t(text.remove)}
        </Button>
      </Group>
    </Group>
  );
}

interface AllKeysProps extends ActProps {
  name: string;
  counts: { on: number; off: number; dead: number };
}

function AllKeys({ name, counts: { on, off, dead }, act }: AllKeysProps) {
  const t = useTranslate();
  const confirm = useConfirm();
  const disableAll = async () => {
    const title = t(keyText.disableAllTitle, { name });
    const action = t(keyText.disableAll);
    if (await confirm({ title, body: t(keyText.disableAllBody), action, danger: true }))
      act({ action: 'disable_all_keys' }, { onSuccess: () => toast.good(t(keyText.disabledAll)) });
  };
  const deleteDead = async () => {
    const title = t(keyText.deleteDeadTitle, { count: dead });
    const action = t(keyText.deleteDead);
    if (await confirm({ title, body: t(keyText.deleteBody), action, danger: true }))
      act(
        { action: 'delete_disabled_keys' },
        { onSuccess: (count) => toast.good(t(keyText.deleted, { count: Number(count) })) },
      );
  };
  return (
    <Group gap="xs">
      <MutationButton
        size="compact-sm"
        variant="default"
        disabled={off + dead === 0}
        onClick={() =>
          act({ action: 'enable_all_keys' }, { onSuccess: () => toast.good(t(keyText.enabledAll)) })
        }
      >
        {t(keyText.enableAll)}
      </MutationButton>
      <Button size="compact-sm" variant="default" disabled={on === 0} onClick={() => void disableAll()}>
        {t(keyText.disableAll)}
      </Button>
      <Button size="compact-sm" variant="default" disabled={dead === 0} onClick={() => void deleteDead()}>
        {t(keyText.deleteDead)}
      </Button>
    </Group>
  );
}
