import type { TeamData, TeamTokenData } from '@tollgate/contract';
import { useCurrentUser } from '../../../lib/session.ts';
import { KeyRowActions } from '../../../shared/key-cells/key-row-actions.tsx';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { teamActions } from '../base/permissions.ts';
import { teamSearch } from '../base/search.ts';
import { useRemoveKey, useSwitchKey } from './queries.ts';
import { keysText as text } from './text.ts';

interface KeyActionsProps {
  team: TeamData;
  token: TeamTokenData;
}

/**
 * Usage help for the creator; other actions for the creator and for managers. In a banned organisation keys can only be
 * deleted.
 */
export function KeyActions({ team, token }: KeyActionsProps) {
  const [, setSearch] = useUrlState(teamSearch);
  const isOwn = useCurrentUser()?.id === token.user_id;
  const mayChange = teamActions(team).has('makeKeys');
  const switchKey = useSwitchKey(team.id);
  const removeKey = useRemoveKey(team.id);
  return (
    <KeyRowActions
      token={token}
      noun={text.noun}
      switchKey={switchKey}
      removeKey={removeKey}
      onUse={isOwn ? () => setSearch({ use: token.id }) : undefined}
      onEdit={mayChange ? () => setSearch({ edit: String(token.id) }) : undefined}
    />
  );
}
