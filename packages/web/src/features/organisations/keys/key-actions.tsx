import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { tokenStatus, type TeamData, type TeamTokenData } from '@tollgate/contract';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useSay } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { mayIn } from '../base/may.ts';
import { teamSearch } from '../base/search.ts';
import { useRemoveKey, useSwitchKey } from './queries.ts';
import { keysText as text } from './text.ts';

interface KeyActionsProps {
  team: TeamData;
  token: TeamTokenData;
}

/** Switching and deleting; both are told of in the corner. */
function useKeyActs({ team, token }: KeyActionsProps) {
  const say = useSay();
  const confirm = useConfirm();
  const switchKey = useSwitchKey(team.id);
  const removeKey = useRemoveKey(team.id);
  const isOn = token.status === tokenStatus.enabled;
  const toggle = () =>
    switchKey.mutate(
      { token: token.id, enable: !isOn },
      { onSuccess: () => toast.good(say(isOn ? text.nowDisabled : text.nowEnabled)) },
    );
  const remove = async () => {
    const agreed = await confirm({
      title: say(text.removeTitle, { name: token.name }),
      body: say(text.removeBody),
      action: say(text.remove),
      danger: true,
    });
    if (!agreed) return;
    // The row is gone when it is done, so its own callbacks are not heard.
    await removeKey.mutateAsync(token.id).then(
      () => toast.good(say(text.removed)),
      () => undefined,
    );
  };
  return { isOn, toggle, isSwitching: switchKey.isPending, remove: () => void remove() };
}

/** Use for the one who made it; the rest for them and for managers. In a banned organisation keys are only deleted. */
export function KeyActions(props: KeyActionsProps) {
  const { team, token } = props;
  const say = useSay();
  const [, setSearch] = useUrlState(teamSearch);
  const isOwn = useCurrentUser()?.id === token.user_id;
  const mayChange = mayIn(team).has('makeKeys');
  const { isOn, toggle, isSwitching, remove } = useKeyActs(props);
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end" display="inline-flex">
      {isOwn && (
        <Button size="compact-sm" variant="light" onClick={() => setSearch({ use: token.id })}>
          {say(text.use)}
        </Button>
      )}
      {mayChange && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          c="var(--tg-text-2)"
          loading={isSwitching}
          onClick={toggle}
        >
          {say(isOn ? text.disable : text.enable)}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={say(text.more, { name: token.name })}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayChange && (
            <Menu.Item
              leftSection={<Pencil size={14} />}
              onClick={() => setSearch({ edit: String(token.id) })}
            >
              {say(text.edit)}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<Trash2 size={14} />} color="var(--tg-bad)" onClick={remove}>
            {say(text.remove)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
