import { Button, Skeleton, Tooltip } from '@mantine/core';
import { channelStatus, nameChannelFailure, sayChannelFailure, type ChannelData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Network } from 'lucide-react';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatDuration, formatNumber, formatPercent } from '../../../lib/format/number-format.ts';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/dashboard.module.css';
import { healthOf, isTestNews, type Health, type Traffic } from './health-of.ts';
import { channelTilesQuery, channelTrafficQuery, tilesShown } from '../base/queries.ts';
import { text } from '../base/text.ts';

const newChannel: Record<string, string> = { edit: 'new' };

/** The channels, each with how its calls went; undefined until both are known. Without the second the tests are left. */
function useTiles(channels: readonly ChannelData[] | undefined): TileProps[] | undefined {
  const traffic = useQuery(channelTrafficQuery);
  if (!channels || traffic.isPending) return undefined;
  return channels.map((channel) => ({
    channel,
    traffic: traffic.data?.channels.find((each) => each.channel === channel.id),
  }));
}

/** Every channel at a glance: what is broken first, then what is slow. */
export function ChannelHealth() {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(channelTilesQuery);
  const tiles = useTiles(data);
  const count = (status: number) => data?.filter((channel) => channel.status === status).length ?? 0;
  const failing =
    tiles?.filter(({ channel, traffic }) => healthOf(channel, traffic) === 'failed').length ?? 0;
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
      ) : !data || !tiles ? (
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
        <Tiles tiles={tiles} />
      )}
    </Panel>
  );
}

const order: readonly Health[] = ['failed', 'bad', 'slow', 'warn', 'lime', 'good', 'unknown', 'off'];

interface TileProps {
  channel: ChannelData;
  /** How its calls went; undefined where there were none. */
  traffic: Traffic | undefined;
}

function Tiles({ tiles }: { tiles: readonly TileProps[] }) {
  const t = useTranslate();
  const place = ({ channel, traffic }: TileProps) => order.indexOf(healthOf(channel, traffic));
  const wait = ({ channel, traffic }: TileProps) => traffic?.first_byte_ms ?? channel.response_time;
  const sorted = tiles.toSorted((a, b) => place(a) - place(b) || wait(a) - wait(b));
  return (
    <>
      <p className={classes.tilesNote}>{t(text.healthCounts)}</p>
      <ul className={classes.tiles}>
        {sorted.map((tile) => (
          <li key={tile.channel.id}>
            <Tile {...tile} />
          </li>
        ))}
      </ul>
      {tiles.length === tilesShown && (
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

/** What stands on a tile, and what its tooltip says more. */
function useWords({ channel, traffic }: TileProps): { short: string; long: string[] } {
  const t = useTranslate();
  const language = useLanguage();
  const health = healthOf(channel, traffic);
  const isCalled = channel.status === channelStatus.enabled && !isTestNews(channel, traffic);
  const failure = channel.test_failure;
  const tested =
    channel.test_time > 0 ? t(text.tested, { time: formatDateTime(channel.test_time) }) : t(text.untested);
  if (isCalled && traffic) {
    const { tries, failed, first_byte_ms: wait } = traffic;
    const share = formatPercent((tries - failed) / tries, language);
    const waits = wait === null ? [] : [formatDuration(wait)];
    return {
      short:
        [failed === 0 ? '' : share, ...waits].filter(Boolean).join(' · ') || t(text.answeredOf, { share }),
      long: [
        t(text.triesOf, { count: formatNumber(tries, language), failed: formatNumber(failed, language) }),
        ...waits.map((time) => t(text.firstByte, { time })),
        tested,
      ],
    };
  }
  const state = stateWords[health];
  const words = state ? t(state) : formatDuration(channel.response_time);
  // Why it failed stands on the tile itself: a colour alone leaves the question open.
  const isTest = health === 'failed' && failure;
  return {
    short: isTest ? nameChannelFailure(failure, language) : words,
    long: [isTest ? sayChannelFailure(failure, language) : words, tested],
  };
}

function Tile(props: TileProps) {
  const { channel, traffic } = props;
  const { short, long } = useWords(props);
  return (
    <Tooltip label={[`#${channel.id} ${channel.name}`, ...long].join(' · ')} multiline maw={420}>
      <Link
        to="/channel"
        search={{ edit: String(channel.id) }}
        className={classes.tile}
        data-health={healthOf(channel, traffic)}
      >
        <span className={classes.tileName}>{channel.name}</span>
        <span className={classes.tileState}>{short}</span>
      </Link>
    </Tooltip>
  );
}
