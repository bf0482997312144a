import { Button, Skeleton } from '@mantine/core';
import type { SessionData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useSay } from '../../../lib/i18n.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useLogOut } from '../../../shared/log-out/use-log-out.ts';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import classes from '../base/personal.module.css';
import { sessionsQuery, useEndSessions } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { deviceOf } from '../../../shared/device/device.ts';

/** Where the person is logged in, and the end of each. */
export function SessionsPanel() {
  const say = useSay();
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const end = useEndSessions(() => toast.good(say(text.othersEnded)));
  const others = (sessions ?? []).filter(({ current }) => !current).map(({ id }) => id);
  return (
    <Panel
      title={say(text.sessions)}
      hint={say(text.sessionsHint)}
      actions={
        others.length > 1 && (
          <MutationButton
            size="xs"
            variant="default"
            loading={end.isPending}
            onClick={() => end.mutate(others)}
          >
            {say(text.endOthers)}
          </MutationButton>
        )
      }
    >
      {error ? (
        <LoadError error={error} onRetry={refetch} />
      ) : sessions === undefined ? (
        <Skeleton height={90} />
      ) : (
        <ul className={classes.list}>
          {sessions.map((session) => (
            <Session key={session.id} session={session} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** One of them: with what, from where, since when. The one that looks is left by logging out. */
function Session({ session }: { session: SessionData }) {
  const say = useSay();
  const logOut = useLogOut();
  const end = useEndSessions(() => toast.good(say(text.sessionEnded)));
  const device = deviceOf(session.user_agent) || say(text.unknownDevice);
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <div className={classes.itemName} title={session.user_agent}>
          {device}
          {session.current && <Tag tone="good">{say(text.thisSession)}</Tag>}
        </div>
        <p className={classes.quiet}>
          {session.ip} · {say(text.sessionSeen)} <Time at={session.seen_time} relative /> ·{' '}
          {say(text.sessionSince)} <Time at={session.created_time} />
        </p>
      </div>
      {session.current ? (
        <Button size="xs" variant="default" onClick={logOut}>
          {say(text.logOut)}
        </Button>
      ) : (
        <MutationButton
          size="xs"
          variant="default"
          loading={end.isPending}
          aria-label={say(text.endSessionOf, { device })}
          onClick={() => end.mutate([session.id])}
        >
          {say(text.endSession)}
        </MutationButton>
      )}
    </li>
  );
}
