import { Button, Skeleton, Tooltip } from '@mantine/core';
import { channelStatus, nameChannelFailure, sayChannelFailure, type ChannelData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Network } from 'lucide-react';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/dashboard.module.css';
import { healthOf, type Health } from './health-of.ts';
import { channelTilesQuery, tilesShown } from '../base/queries.ts';
import { text } from '../base/text.ts';

const newChannel: Record<string, string> = { edit: 'new' };

/** Every channel at a glance: what is broken first, then what is slow. */
export function ChannelHealth() {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(channelTilesQuery);
  const count = (status: number) => data?.filter((channel) => channel.status === status).length ?? 0;
  const failing = data?.filter((channel) => healthOf(channel) === 'failed').length ?? 0;
  return (
    <Panel
      title={t(text.health)}
      {...(data && data.length > 0
        ? {
            hint: t(failing === 0 ? text.healthHint : text.healthHintFailing, {
              enabled: count(channelStatus.enabled),
              failing,
              broken: count(channelStatus.autoDisabled),
              off: count(channelStatus.disabled),
            }),
          }
        : {})}
      actions={
        <Link to="/channel" className={classes.more}>
          {t(text.allChannels)}
        </Link>
      }
    >
      {error && !data ? (
        <LoadError error={error} onRetry={refetch} />
      ) : !data ? (
        <Skeleton height={110} />
      ) : data.length === 0 ? (
        <EmptyState
          icon={<Network size={20} />}
          title={t(text.noChannels)}
          action={
            <Button renderRoot={(props) => <Link to="/channel" search={newChannel} {...props} />}>
              {t(text.addChannel)}
            </Button>
          }
        />
      ) : (
        <Tiles channels={data} />
      )}
    </Panel>
  );
}

const order: readonly Health[] = ['failed', 'bad', 'slow', 'warn', 'lime', 'good', 'unknown', 'off'];

function Tiles({ channels }: { channels: readonly ChannelData[] }) {
  const t = useTranslate();
  const sorted = channels.toSorted(
    (a, b) => order.indexOf(healthOf(a)) - order.indexOf(healthOf(b)) || a.response_time - b.response_time,
  );
  return (
    <>
      <p className={classes.tilesNote}>{t(text.healthCounts)}</p>
      <ul className={classes.tiles}>
        {sorted.map((channel) => (
          <li key={channel.id}>
            <Tile channel={channel} />
          </li>
        ))}
      </ul>
      {channels.length === tilesShown && (
        <p className={classes.quiet}>{t(text.moreChannels, { count: tilesShown })}</p>
      )}
    </>
  );
}

const stateWords: Partial<Record<Health, { zh: string; en: string }>> = {
  failed: text.stateFailed,
  bad: text.stateBroken,
  off: text.stateOff,
  unknown: text.untested,
};

function Tile({ channel }: { channel: ChannelData }) {
  const t = useTranslate();
  const health = healthOf(channel);
  const language = useLanguage();
  const state = stateWords[health];
  const words = state ? t(state) : formatDuration(channel.response_time);
  const failure = channel.test_failure;
  // Why it failed stands on the tile itself: a colour alone leaves the question open.
  const cause = health === 'failed' && failure ? sayChannelFailure(failure, language) : words;
  const shortly = health === 'failed' && failure ? nameChannelFailure(failure, language) : words;
  const tested =
    channel.test_time > 0 ? t(text.tested, { time: formatDateTime(channel.test_time) }) : t(text.untested);
  return (
    <Tooltip label={`#${channel.id} ${channel.name} · ${cause} · ${tested}`} multiline maw={420}>
      <Link to="/channel" search={{ edit: String(channel.id) }} className={classes.tile} data-health={health}>
        <span className={classes.tileName}>{channel.name}</span>
        <span className={classes.tileState}>{shortly}</span>
      </Link>
    </Tooltip>
  );
}
