import { tokenStatus, type TeamData, type TeamTokenData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
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

/** Switching and deleting, each with a toast when it is done. */
function useKeyActions({ team, token }: KeyActionsProps) {
  const t = useTranslate();
  const confirm = useConfirm();
  const switchKey = useSwitchKey(team.id);
  const removeKey = useRemoveKey(team.id);
  const isEnabled = token.status === tokenStatus.enabled;
  const toggle = () =>
    switchKey.mutate(
      { token: token.id, enable: !isEnabled },
      { onSuccess: () => toast.good(t(isEnabled ? text.nowDisabled : text.nowEnabled)) },
    );
  const remove = async () => {
    const agreed = await confirm({
      title: t(text.removeTitle, { name: token.name }),
      body: t(text.removeBody),
      action: t(text.remove),
      danger: true,
    });
    if (!agreed) return;
    // The row unmounts with the deletion, and callbacks of `mutate` are dropped with it.
    await removeKey.mutateAsync(token.id).then(
      () => toast.good(t(text.removed)),
      () => undefined,
    );
  };
  return { isEnabled, toggle, isSwitching: switchKey.isPending, remove: () => void remove() };
}

/** Use for the one who made it; the rest for them and for managers. In a banned organisation keys are only deleted. */
export function KeyActions(props: KeyActionsProps) {
  const { team, token } = props;
  const [, setSearch] = useUrlState(teamSearch);
  const isOwn = useCurrentUser()?.id === token.user_id;
  const mayChange = teamActions(team).has('makeKeys');
  const { isEnabled, toggle, isSwitching, remove } = useKeyActions(props);
  return (
    <KeyRowActions
      name={token.name}
      isEnabled={isEnabled}
      isSwitching={isSwitching}
      onUse={isOwn ? () => setSearch({ use: token.id }) : undefined}
      onToggle={mayChange ? toggle : undefined}
      onEdit={mayChange ? () => setSearch({ edit: String(token.id) }) : undefined}
      onRemove={remove}
    />
  );
}
