import type { ManagedUserData } from '@tollgate/contract';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { nothing } from '../../../lib/format/nothing.ts';
import { formatMoney } from '../../../lib/format/number-format.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { Tag } from '../../../ui/tag.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { userActions } from '../base/permissions.ts';
import { userSearch } from '../base/search.ts';
import { text } from '../base/text.ts';
import classes from '../base/users.module.css';

interface CellProps {
  user: ManagedUserData;
}

/** The name opens the form if the user may be edited; a different display name is beside it. */
export function Name({ user }: CellProps) {
  const me = useCurrentUser();
  const [, setSearch] = useUrlState(userSearch);
  const { username, display_name: shown } = user;
  return (
    <span className={classes.name}>
      {userActions(me, user).has('edit') ? (
        <TextButton onClick={() => setSearch({ edit: String(user.id) })}>{username}</TextButton>
      ) : (
        <span>{username}</span>
      )}
      {shown !== '' && shown !== username && <small title={shown}>{shown}</small>}
    </span>
  );
}

/** Number of invited users, the reward, and the inviter. */
export function Invitation({ user }: CellProps) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const { aff_count: invited, aff_history_quota: earned, inviter_id: inviter } = user;
  const brought = [
    ...(invited > 0 ? [t(text.invited, { count: invited })] : []),
    ...(earned > 0 ? [t(text.reward, { money: formatMoney(earned, display) })] : []),
  ].join(' · ');
  const words = [brought, inviter > 0 ? t(text.invitedBy, { id: inviter }) : ''].filter(Boolean);
  if (words.length === 0)
    return (
      <span className={classes.quiet} aria-label={t(text.noInvitation)}>
        {nothing}
      </span>
    );
  return (
    <span className={classes.tags}>
      {words.map((word) => (
        <Tag key={word}>{word}</Tag>
      ))}
    </span>
  );
}

export const Remark = ({ user }: CellProps) => (
  <span className={classes.remark} title={user.remark}>
    {user.remark}
  </span>
);
