import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import type { TeamData, TeamMemberData } from '@tollgate/contract';
import { Crown, Ellipsis, UserX } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { LazyMenu } from '../../../shared/lazy/lazy-menu.tsx';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { memberActions } from '../base/permissions.ts';
import { teamSearch } from '../base/search.ts';
import { membersText as text } from './text.ts';
import { useMemberActions } from './use-member-actions.ts';

interface MemberActionsProps {
  team: TeamData;
  member: TeamMemberData;
}

/** Permitted actions on a member; hidden for members of equal or higher rank. */
export function MemberActions({ team, member }: MemberActionsProps) {
  const t = useTranslate();
  const may = memberActions(team, member);
  const [, setSearch] = useUrlState(teamSearch);
  const { handOver, remove } = useMemberActions(team, member);
  const name = member.username;
  if (may.size === 0) return null;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end" display="inline-flex">
      <Button
        size="compact-sm"
        variant="light"
        aria-label={t(text.changeOf, { name })}
        onClick={() => setSearch({ edit: String(member.user_id) })}
      >
        {t(text.change)}
      </Button>
      <LazyMenu
        button={(props) => (
          <ActionIcon {...props} aria-label={t(text.more, { name })}>
            <Ellipsis size={16} />
          </ActionIcon>
        )}
      >
        <Menu.Dropdown>
          {may.has('handOver') && (
            <Menu.Item leftSection={<Crown size={14} />} onClick={handOver}>
              {t(text.handOver)}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<UserX size={14} />} color="var(--tg-bad)" onClick={remove}>
            {t(text.remove)}
          </Menu.Item>
        </Menu.Dropdown>
      </LazyMenu>
    </Group>
  );
}
