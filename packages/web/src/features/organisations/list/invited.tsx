import type { OwnInvitationData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslate } from '../../../lib/i18n.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast, toastWhenDone } from '../../../shared/feedback/toast.ts';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/organisations.module.css';
import { teamRoleLabel } from '../base/labels.tsx';
import { ownInvitationsQuery, useAccept, useDecline } from './queries.ts';
import { listText } from './text.ts';

/** The invitations of the user by name; hidden without any. */
export function Invited() {
  const t = useTranslate();
  const { data = [] } = useQuery(ownInvitationsQuery);
  if (data.length === 0) return null;
  return (
    <Panel title={t(listText.invitations)}>
      <ul className={classes.invitations}>
        {data.map((invitation) => (
          <Invitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Panel>
  );
}

function Invitation({ invitation }: { invitation: OwnInvitationData }) {
  const t = useTranslate();
  const navigate = useNavigate();
  const accept = useAccept();
  const decline = useDecline();
  const { id, team_name: team, inviter_name: inviter } = invitation;
  const join = () =>
    accept.mutate(
      { invitation: id },
      {
        onSuccess: (teamId) => {
          toast.good(t(listText.accepted, { team }));
          void navigate({ to: `/organisations/${teamId}` });
        },
      },
    );
  return (
    <li className={classes.invitation}>
      <div>
        <p>{t(listText.invites, { inviter, team, role: t(teamRoleLabel(invitation.role)) })}</p>
        <p className={classes.quiet}>
          {t(listText.expires)} <Time at={invitation.expires_time} />
        </p>
      </div>
      <div className={classes.buttons}>
        <MutationButton
          variant="default"
          aria-label={t(listText.declineFrom, { team })}
          loading={decline.isPending}
          onClick={() => void toastWhenDone(decline.mutateAsync({ invitation: id }), t(listText.declined))}
        >
          {t(listText.decline)}
        </MutationButton>
        <MutationButton
          aria-label={t(listText.acceptFrom, { team })}
          loading={accept.isPending}
          onClick={join}
        >
          {t(listText.accept)}
        </MutationButton>
      </div>
    </li>
  );
}
