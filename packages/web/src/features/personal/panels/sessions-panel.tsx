import { Button, Skeleton } from '@mantine/core';
import type { SessionData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from '../../../lib/i18n.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useLogOut } from '../../../shared/use-log-out.ts';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import classes from '../base/personal.module.css';
import { sessionsQuery, useEndSessions } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { deviceOf } from '../../../shared/device/device.ts';

/** Sessions of the user, each with a button that ends it. */
export function SessionsPanel() {
  const t = useTranslate();
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const end = useEndSessions(() => toast.good(t(text.othersEnded)));
  const others = (sessions ?? []).filter(({ current }) => !current).map(({ id }) => id);
  return (
    <Panel
      title={t(text.sessions)}
      hint={t(text.sessionsHint)}
      actions={
        others.length > 1 && (
          <MutationButton
            size="xs"
            variant="default"
            loading={end.isPending}
            onClick={() => end.mutate(others)}
          >
            {t(text.endOthers)}
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

/** A session: device, address, start. The current one ends with log-out. */
function Session({ session }: { session: SessionData }) {
  const t = useTranslate();
  const logOut = useLogOut();
  const end = useEndSessions(() => toast.good(t(text.sessionEnded)));
  const device = deviceOf(session.user_agent) || t(text.unknownDevice);
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <div className={classes.itemName} title={session.user_agent}>
          {device}
          {session.current && <Tag tone="good">{t(text.thisSession)}</Tag>}
        </div>
        <p className={classes.quiet}>
          {session.ip} · {t(text.sessionSeen)} <Time at={session.seen_time} relative /> ·{' '}
          {t(text.sessionSince)} <Time at={session.created_time} />
        </p>
      </div>
      {session.current ? (
        <Button size="xs" variant="default" onClick={logOut}>
          {t(text.logOut)}
        </Button>
      ) : (
        <MutationButton
          size="xs"
          variant="default"
          loading={end.isPending}
          aria-label={t(text.endSessionOf, { device })}
          onClick={() => end.mutate([session.id])}
        >
          {t(text.endSession)}
        </MutationButton>
      )}
    </li>
  );
}
