import { Button, Skeleton, Tooltip } from '@mantine/core';
import {
  channelStatus,
  maxShownHealth,
  nameChannelFailure,
  sayChannelFailure,
  type ChannelHealth,
} from '@tollgate/contract';
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
import { healthOf, isTestNewer, type Health } from './health-of.ts';
import { channelHealthQuery } from '../base/queries.ts';
import { text } from '../base/text.ts';

const newChannel: Record<string, string> = { edit: 'new' };

/** Health of all channels: failing ones first, then slow ones. */
export function HealthPanel() {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(channelHealthQuery);
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

function Tiles({ channels }: { channels: readonly ChannelHealth[] }) {
  const t = useTranslate();
  const place = (channel: ChannelHealth) => order.indexOf(healthOf(channel));
  const wait = ({ traffic, response_time: tested }: ChannelHealth) => traffic?.first_byte_ms ?? tested;
  const sorted = channels.toSorted((a, b) => place(a) - place(b) || wait(a) - wait(b));
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
      {channels.length === maxShownHealth && (
        <p className={classes.quiet}>{t(text.moreChannels, { count: maxShownHealth })}</p>
      )}
    </>
  );
}

const stateLabels: Partial<Record<Health, { zh: string; en: string }>> = {
  failed: text.stateFailed,
  bad: text.stateBroken,
  off: text.stateOff,
  unknown: text.untested,
};

/** The text of a tile and its tooltip, the reason first. */
export function useHealthWords(channel: ChannelHealth): { short: string; long: string[] } {
  const t = useTranslate();
  const language = useLanguage();
  const health = healthOf(channel);
  const isCalled = channel.status === channelStatus.enabled && !isTestNewer(channel);
  const { traffic, test_failure: failure } = channel;
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
  const state = stateLabels[health];
  const words = state ? t(state) : formatDuration(channel.response_time);
  // The tile has the reason as text, not only as a colour.
  const isTest = health === 'failed' && failure;
  return {
    short: isTest ? nameChannelFailure(failure, language) : words,
    long: [isTest ? sayChannelFailure(failure, language) : words, tested],
  };
}

function Tile({ channel }: { channel: ChannelHealth }) {
  const { short, long } = useHealthWords(channel);
  return (
    <Tooltip label={[`#${channel.id} ${channel.name}`, ...long].join(' · ')} multiline maw={420}>
      <Link
        to="/channel"
        search={{ edit: String(channel.id) }}
        className={classes.tile}
        data-health={healthOf(channel)}
      >
        <span className={classes.tileName}>{channel.name}</span>
        <span className={classes.tileState}>{short}</span>
      </Link>
    </Tooltip>
  );
}
