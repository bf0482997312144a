import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ChannelHealth, channelStatus } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { formatDollars } from '../../../lib/format/number-format.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { useStatus } from '../../../lib/api/status.ts';
import { unpricedQuery } from '../../../shared/prices/unpriced-query.ts';
import { Dot, type DotTone } from '../../../ui/dot.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/dashboard.module.css';
import { channelHealthQuery } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { useHealthWords } from './health.tsx';
import { healthOf } from './health-of.ts';

/** Maximum number of named channels; the health panel shows all others. */
const channelsNamed = 4;

/** A balance at a vendor, in its currency, below which calls will soon be refused. */
const lowBalance = 5;

/** Enabled channels with a known and nearly empty balance, the lowest first. */
const nearlyEmpty = (channels: readonly ChannelHealth[]): ChannelHealth[] =>
  channels
    .filter(
      ({ status, balance, balance_updated_time: asked }) =>
        status === channelStatus.enabled && asked > 0 && balance < lowBalance,
    )
    .toSorted((a, b) => a.balance - b.balance);

/** Problems that block calls or users, each with a link to its fix; hidden without problems. */
export function Attention({ isRoot }: { isRoot: boolean }) {
  const t = useTranslate();
  const status = useStatus();
  const { data: channels = [] } = useQuery(channelHealthQuery);
  const { data: unpriced } = useQuery({ ...unpricedQuery, enabled: isRoot });
  const failing = channels.filter((channel) => ['failed', 'bad'].includes(healthOf(channel)));
  const count = unpriced?.count ?? 0;
  const low = nearlyEmpty(channels);
  const isDemo = isRoot && status?.demo_site_enabled === true;
  if (failing.length === 0 && low.length === 0 && count === 0 && !isDemo) return null;
  return (
    <Panel title={t(text.attention)}>
      <ul className={classes.attention}>
        {failing.slice(0, channelsNamed).map((channel) => (
          <FailingChannel key={channel.id} channel={channel} />
        ))}
        {failing.length > channelsNamed && (
          <Item tone="bad" action={<Link to="/channel">{t(text.allChannels)}</Link>}>
            {t(text.moreFailing, { count: failing.length - channelsNamed })}
          </Item>
        )}
        {low.slice(0, channelsNamed).map((channel) => (
          <ChannelItem key={channel.id} channel={channel} tone="warn">
            {t(text.lowBalance, { balance: formatDollars(channel.balance) })}
          </ChannelItem>
        ))}
        {count > 0 && (
          <Item
            tone="warn"
            action={
              <Link to="/prices" search={{ show: 'unpriced' }}>
                {t(text.setPrices)}
              </Link>
            }
          >
            {t(text.unpriced, { count })}
          </Item>
        )}
        {isDemo && (
          <Item
            tone="warn"
            action={
              <Link to="/setting" search={{ open: 'DemoSiteEnabled' }}>
                {t(text.openSetting)}
              </Link>
            }
          >
            {t(text.isDemo)}
          </Item>
        )}
      </ul>
    </Panel>
  );
}

function FailingChannel({ channel }: { channel: ChannelHealth }) {
  const { long } = useHealthWords(channel);
  return (
    <ChannelItem channel={channel} tone="bad">
      {long[0]}
    </ChannelItem>
  );
}

/** The warning about a channel, with a link to it. */
function ChannelItem({
  channel,
  tone,
  children,
}: {
  channel: ChannelHealth;
  tone: DotTone;
  children: ReactNode;
}) {
  const t = useTranslate();
  return (
    <Item
      tone={tone}
      action={
        <Link to="/channel" search={{ edit: String(channel.id) }}>
          {t(text.openChannel, { name: channel.name })}
        </Link>
      }
    >
      <b>{channel.name}</b> {children}
    </Item>
  );
}

function Item({ tone, action, children }: { tone: DotTone; action: ReactNode; children: ReactNode }) {
  return (
    <li>
      <Dot tone={tone}>
        <span className={classes.attentionWords}>{children}</span>
      </Dot>
      {action}
    </li>
  );
}
