import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { tokenStatus, type TokenData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { Ellipsis, MessagesSquare, Pencil, Trash2 } from 'lucide-react';
import { useSay } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { ChangeButton } from '../../shared/demo/change-button.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { useRemoveToken, useSwitchToken } from './queries.ts';
import { tokenSearch } from './search.ts';
import { text } from './text.ts';

/** Use, enable or disable in one click; edit and delete behind the dots. */
export function RowActions({ token }: { token: TokenData }) {
  const say = useSay();
  const confirm = useConfirm();
  const [, setSearch] = useUrlState(tokenSearch);
  const switchToken = useSwitchToken();
  const removeToken = useRemoveToken();
  const isOn = token.status === tokenStatus.enabled;

  const toggle = () =>
    switchToken.mutate(
      { id: token.id, enable: !isOn },
      { onSuccess: () => toast.good(say(isOn ? text.nowDisabled : text.nowEnabled)) },
    );
  const remove = async () => {
    const agreed = await confirm({
      title: say(text.removeTitle, { name: token.name }),
      body: say(text.removeBody),
      action: say(text.remove),
      danger: true,
    });
    if (agreed) removeToken.mutate(token.id, { onSuccess: () => toast.good(say(text.removed)) });
  };

  return (
    <Group gap={4} wrap="nowrap" justify="flex-end" display="inline-flex">
      <Button size="compact-sm" variant="light" onClick={() => setSearch({ use: token.id })}>
        {say(text.use)}
      </Button>
      <ChangeButton
        size="compact-sm"
        variant="subtle"
        color="gray"
        c="var(--tg-text-2)"
        loading={switchToken.isPending}
        onClick={toggle}
      >
        {say(isOn ? text.disable : text.enable)}
      </ChangeButton>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={say(text.more, { name: token.name })}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={14} />} onClick={() => setSearch({ edit: String(token.id) })}>
            {say(text.edit)}
          </Menu.Item>
          {isOn && <ChatItems tokenId={token.id} />}
          <Menu.Item leftSection={<Trash2 size={14} />} color="var(--tg-bad)" onClick={() => void remove()}>
            {say(text.remove)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

/** The chat applications of this site, opened with the key of this row. */
function ChatItems({ tokenId }: { tokenId: number }) {
  const say = useSay();
  const chats = useStatus()?.chats ?? [];
  if (chats.length === 0) return null;
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{say(text.chatWith)}</Menu.Label>
      {chats.map((entry, index) => (
        <Menu.Item
          key={index}
          renderRoot={(props) => (
            <Link to={`/chat/${index}`} search={{ token: String(tokenId) }} {...props} />
          )}
          leftSection={<MessagesSquare size={14} />}
        >
          {Object.keys(entry)[0]}
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  );
}
