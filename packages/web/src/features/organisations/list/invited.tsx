import type { OwnInvitationData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useSay } from '../../../lib/i18n.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/organisations.module.css';
import { teamRoleWords } from '../base/words.tsx';
import { ownInvitationsQuery, useAccept, useDecline } from './queries.ts';
import { listText } from './text.ts';

/** The invitations that name the person; nothing where there are none. */
export function Invited() {
  const say = useSay();
  const { data = [] } = useQuery(ownInvitationsQuery);
  if (data.length === 0) return null;
  return (
    <Panel title={say(listText.invitations)}>
      <ul className={classes.invitations}>
        {data.map((invitation) => (
          <Invitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Panel>
  );
}

function Invitation({ invitation }: { invitation: OwnInvitationData }) {
  const say = useSay();
  const navigate = useNavigate();
  const accept = useAccept();
  const decline = useDecline();
  const { id, team_name: team, inviter_name: inviter } = invitation;
  const join = () =>
    accept.mutate(
      { invitation: id },
      {
        onSuccess: (teamId) => {
          toast.good(say(listText.accepted, { team }));
          void navigate({ to: `/organisations/${teamId}` });
        },
      },
    );
  return (
    <li className={classes.invitation}>
      <div>
        <p>{say(listText.invites, { inviter, team, role: say(teamRoleWords(invitation.role)) })}</p>
        <p className={classes.quiet}>
          {say(listText.expires)} <Time at={invitation.expires_time} />
        </p>
      </div>
      <div className={classes.buttons}>
        <MutationButton
          variant="default"
          aria-label={say(listText.declineFrom, { team })}
          loading={decline.isPending}
          onClick={() =>
            decline.mutate({ invitation: id }, { onSuccess: () => toast.good(say(listText.declined)) })
          }
        >
          {say(listText.decline)}
        </MutationButton>
        <MutationButton
          aria-label={say(listText.acceptFrom, { team })}
          loading={accept.isPending}
          onClick={join}
        >
          {say(listText.accept)}
        </MutationButton>
      </div>
    </li>
  );
}
