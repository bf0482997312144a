import { ActionIcon, Group, Menu } from '@mantine/core';
import { channelApi, channelStatus, type ChannelData } from '@tollgate/contract';
import { Copy, Ellipsis, FlaskConical, Pencil, Trash2 } from 'lucide-react';
import { call } from '../../../lib/api/api-client.ts';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { MutationMenuItem } from '../../../shared/demo/mutation-menu-item.tsx';
import { toast, toastWhenDone } from '../../../shared/feedback/toast.ts';
import { LazyMenu } from '../../../shared/lazy/lazy-menu.tsx';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { testChannel, useChannelMutation, useUpdateChannel } from '../base/queries.ts';
import { isEnabled } from '../base/rows.ts';
import { channelSearch } from '../base/search.ts';
import { text } from '../base/text.ts';

const quiet = { size: 'compact-sm', variant: 'subtle', color: 'gray', c: 'var(--tg-text-2)' } as const;

/** Test, enable or disable, and edit as buttons; other actions in a menu. */
export function RowActions({ channel }: { channel: ChannelData }) {
  const t = useTranslate();
  const test = useChannelMutation((id: number) => testChannel(id, ''), true);
  const update = useUpdateChannel();
  const [, setSearch] = useUrlState(channelSearch);
  const isOn = isEnabled(channel);
  const language = useLanguage();

  return (
    <Group gap={2} wrap="nowrap" justify="flex-end" display="inline-flex">
      <MutationButton
        size="compact-sm"
        variant="light"
        loading={test.isPending}
        onClick={() =>
          test.mutate(channel.id, {
            onSuccess: (seconds) =>
              toast.good(t(text.tested, { name: channel.name, time: formatDuration(seconds * 1000) })),
            onError: (error) =>
              toast.bad(
                t(text.testFailedFor, { name: channel.name, problem: errorMessage(error, language) }),
              ),
          })
        }
      >
        {t(text.test)}
      </MutationButton>
      <MutationButton
        {...quiet}
        loading={update.isPending}
        onClick={() =>
          update.mutate(
            { id: channel.id, status: isOn ? channelStatus.disabled : channelStatus.enabled },
            { onSuccess: () => toast.good(t(isOn ? text.nowDisabled : text.nowEnabled)) },
          )
        }
      >
        {t(isOn ? text.disable : text.enable)}
      </MutationButton>
      <ActionIcon
        aria-label={t(text.editNamed, { name: channel.name })}
        title={t(text.edit)}
        onClick={() => setSearch({ edit: String(channel.id) })}
      >
        <Pencil size={15} />
      </ActionIcon>
      <LazyMenu
        button={(props) => (
          <ActionIcon {...props} aria-label={t(text.more, { name: channel.name })}>
            <Ellipsis size={16} />
          </ActionIcon>
        )}
      >
        <MoreActions channel={channel} />
      </LazyMenu>
    </Group>
  );
}

function MoreActions({ channel }: { channel: ChannelData }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const [, setSearch] = useUrlState(channelSearch);
  const language = useLanguage();
  const copy = useChannelMutation((id: number) => call(channelApi.copy, { id }), true);
  const removeChannel = useChannelMutation((id: number) => call(channelApi.remove, { id }));
  const remove = async () => {
    const agreed = await confirm({
      title: t(text.removeTitle, { name: channel.name }),
      body: t(text.removeBody),
      action: t(text.remove),
      danger: true,
    });
    if (agreed) await toastWhenDone(removeChannel.mutateAsync(channel.id), t(text.removed));
  };
  return (
    <Menu.Dropdown>
      <Menu.Item
        leftSection={<FlaskConical size={14} />}
        onClick={() => setSearch({ test: String(channel.id) })}
      >
        {t(text.testModels)}
      </Menu.Item>
      <MutationMenuItem
        leftSection={<Copy size={14} />}
        onClick={() =>
          copy.mutate(channel.id, {
            onSuccess: () => toast.good(t(text.copied)),
            onError: (error) => toast.bad(t(text.copyFailed, { reason: errorMessage(error, language) })),
          })
        }
      >
        {t(text.copy)}
      </MutationMenuItem>
      <Menu.Item leftSection={<Trash2 size={14} />} color="var(--tg-bad)" onClick={() => void remove()}>
        {t(text.remove)}
      </Menu.Item>
    </Menu.Dropdown>
  );
}
