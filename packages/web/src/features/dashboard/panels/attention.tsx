import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ChannelHealth, channelStatus, type UsageSummary } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { formatDollars, formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { attentionQuery } from '../../../shared/attention.ts';
import { Dot, type DotTone } from '../../../ui/dot.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/dashboard.module.css';
import { channelHealthQuery, summaryQuery } from '../base/queries.ts';
import { daysOf } from '../base/span.ts';
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
export function Attention({ isRoot, now }: { isRoot: boolean; now: number }) {
  const t = useTranslate();
  const { data: channels = [] } = useQuery(channelHealthQuery);
  const { data: site } = useQuery({ ...attentionQuery, enabled: isRoot });
  // The figures of today have the same query.
  const today = summaryQuery({ of: 'all', username: '', tag: '' }, daysOf(now).today);
  const { data: summary } = useQuery({ ...today, enabled: isRoot });
  const failing = channels.filter((channel) => ['failed', 'bad'].includes(healthOf(channel)));
  const low = nearlyEmpty(channels);
  const blocks = site?.settings ?? [];
  const refused = summary?.unpriced_models ?? [];
  // Where failures are not logged, it is unknown which of the models are asked for.
  const offered = summary?.errors === null ? (site?.unpriced ?? 0) : 0;
  if ([failing, low, blocks, refused].every(({ length }) => length === 0) && offered === 0) return null;
  return (
    <Panel title={t(text.attention)}>
      <ul className={classes.attention}>
        {blocks.map(({ key, reason }) => (
          <Item
            key={`${key} ${reason}`}
            tone="bad"
            action={
              <Link to="/setting" search={{ open: key }}>
                {t(text.openSetting)}
              </Link>
            }
          >
            {reason}
          </Item>
        ))}
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
        {refused.length > 0 && <RefusedModels models={refused} />}
        {offered > 0 && (
          <Item tone="warn" action={<SetPrices />}>
            {t(text.unpriced, { count: offered })}
          </Item>
        )}
      </ul>
    </Panel>
  );
}

function SetPrices() {
  const t = useTranslate();
  return (
    <Link to="/prices" search={{ show: 'unpriced' }}>
      {t(text.setPrices)}
    </Link>
  );
}

/** The models whose calls were refused today for lack of a price. */
function RefusedModels({ models }: { models: UsageSummary['unpriced_models'] }) {
  const t = useTranslate();
  const language = useLanguage();
  const count = models.reduce((sum, model) => sum + model.count, 0);
  return (
    <Item tone="bad" action={<SetPrices />}>
      <b>{models.map(({ model_name: name }) => name).join(', ')}</b>{' '}
      {t(text.refusedUnpriced, { count: formatNumber(count, language) })}
    </Item>
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
