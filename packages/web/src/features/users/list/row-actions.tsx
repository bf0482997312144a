import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import type { ManagedUserData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import {
  CircleDollarSign,
  Ellipsis,
  ReceiptText,
  ScrollText,
  ShieldMinus,
  ShieldPlus,
  UserX,
} from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { LazyMenu } from '../../../shared/lazy/lazy-menu.tsx';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { userActions } from '../base/permissions.ts';
import { userSearch } from '../base/search.ts';
import { text } from '../base/text.ts';
import { useUserActions } from './use-user-actions.ts';
import { useFund } from '../fund/use-fund.tsx';

const quiet = { size: 'compact-sm', variant: 'subtle', color: 'gray', c: 'var(--tg-text-2)' } as const;

/** Edit, enable or disable as buttons; other actions in a menu. Hidden for users whom the viewer may not change. */
export function RowActions({ user }: { user: ManagedUserData }) {
  const t = useTranslate();
  const may = userActions(useCurrentUser(), user);
  const [, setSearch] = useUrlState(userSearch);
  const { act, isPending } = useUserActions(user);
  if (may.size === 0) return null;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end" display="inline-flex">
      <Button size="compact-sm" variant="light" onClick={() => setSearch({ edit: String(user.id) })}>
        {t(text.edit)}
      </Button>
      {may.has('disable') && (
        <MutationButton {...quiet} loading={isPending} onClick={() => act('disable')}>
          {t(text.disable)}
        </MutationButton>
      )}
      {may.has('enable') && (
        <MutationButton {...quiet} loading={isPending} onClick={() => act('enable')}>
          {t(text.enable)}
        </MutationButton>
      )}
      <LazyMenu
        button={(props) => (
          <ActionIcon {...props} aria-label={t(text.more, { name: user.username })}>
            <Ellipsis size={16} />
          </ActionIcon>
        )}
      >
        <MoreActions user={user} may={may} act={act} />
      </LazyMenu>
    </Group>
  );
}

interface MoreActionsProps {
  user: ManagedUserData;
  may: ReturnType<typeof userActions>;
  act: ReturnType<typeof useUserActions>['act'];
}

function MoreActions({ user, may, act }: MoreActionsProps) {
  const t = useTranslate();
  const fund = useFund();
  const item = (which: 'promote' | 'demote', icon: typeof ShieldPlus) => {
    const Icon = icon;
    return (
      may.has(which) && (
        <Menu.Item leftSection={<Icon size={14} />} onClick={() => act(which)}>
          {t(text[which])}
        </Menu.Item>
      )
    );
  };
  return (
    <Menu.Dropdown>
      <Menu.Item leftSection={<CircleDollarSign size={14} />} onClick={() => fund(user)}>
        {t(text.fund)}
      </Menu.Item>
      <Menu.Item
        leftSection={<ReceiptText size={14} />}
        renderRoot={(props) => <Link to="/statement" search={{ user: String(user.id) }} {...props} />}
      >
        {t(text.statements)}
      </Menu.Item>
      <Menu.Item
        leftSection={<ScrollText size={14} />}
        renderRoot={(props) => (
          <Link to="/log" search={{ username: user.username, range: '30d' }} {...props} />
        )}
      >
        {t(text.logs)}
      </Menu.Item>
      {item('promote', ShieldPlus)}
      {item('demote', ShieldMinus)}
      {may.has('deregister') && (
        <>
          <Menu.Divider />
          <Menu.Item
            leftSection={<UserX size={14} />}
            color="var(--tg-bad)"
            onClick={() => act('deregister')}
          >
            {t(text.deregister)}
          </Menu.Item>
        </>
      )}
    </Menu.Dropdown>
  );
}
