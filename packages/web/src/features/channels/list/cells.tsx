import { Tooltip, UnstyledButton } from '@mantine/core';
import {
  channelApi,
  channelStatus,
  sayChannelFailure,
  testOutcome,
  type ChannelData,
} from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { callFull } from '../../../lib/api/api-client.ts';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { nothing } from '../../../lib/format/nothing.ts';
import { useLanguage, useTranslate, type Text } from '../../../lib/i18n.ts';
import { formatDollars, formatDuration } from '../../../lib/format/number-format.ts';
import { useDemoDisabled } from '../../../shared/demo/use-demo-disabled.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { GroupTag } from '../../../shared/group-tag/group-tag.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { Dot, type DotTone } from '../../../ui/dot.tsx';
import { Tag, type Tone } from '../../../ui/tag.tsx';
import {
  disabledBecause,
  splitList,
  typesQuery,
  useChannelMutation,
  useUpdateChannel,
} from '../base/queries.ts';
import { isFailing } from '../base/rows.ts';
import { ProviderMark } from '../base/provider-mark.tsx';
import { text } from '../base/text.ts';
import classes from './columns.module.css';

interface CellProps {
  channel: ChannelData;
}

export function Provider({ channel }: CellProps) {
  const t = useTranslate();
  const { data: types = [] } = useQuery(typesQuery);
  const type = types.find((known) => known.type === channel.type);
  const name = type ? t(type.name) : t(text.unknownType, { type: channel.type });
  return (
    <span className="inline-row">
      <ProviderMark id={type?.id ?? ''} />
      {type?.id === 'sandbox' ? <Tag tone="warn">{t(text.sandbox)}</Tag> : name}
    </span>
  );
}

/** Beyond this number, groups are only counted. */
const groupsShown = 1;

export function Groups({ group }: { group: string }) {
  const groups = splitList(group);
  return (
    <span className="inline-row" title={groups.join('\n')}>
      {groups.slice(0, groupsShown).map((name) => (
        <GroupTag key={name} group={name} />
      ))}
      {groups.length > groupsShown && <Tag>+{groups.length - groupsShown}</Tag>}
    </span>
  );
}

/** The names of the states. */
const statuses: Record<number, { tone: DotTone; word: Text }> = {
  [channelStatus.enabled]: { tone: 'good', word: text.enabled },
  [channelStatus.disabled]: { tone: 'idle', word: text.disabled },
  [channelStatus.autoDisabled]: { tone: 'bad', word: text.autoDisabled },
};

/** Shows reason and time of the last failed test of a channel. */
function useTestFailure(): (channel: ChannelData) => string {
  const t = useTranslate();
  const language = useLanguage();
  return ({ test_failure: failure, test_time: at }) => {
    const cause = failure ? sayChannelFailure(failure, language) : t(text.testFailed);
    return `${cause} · ${t(text.testedAt, { time: formatDateTime(at) })}`;
  };
}

/** Shows the fault on hover, on a tap and by the keyboard. */
function Why({ reason, children }: { reason: string; children: ReactNode }) {
  return (
    <Tooltip label={reason} multiline maw={420} events={{ hover: true, focus: true, touch: true }}>
      <span tabIndex={0} aria-label={reason}>
        {children}
      </span>
    </Tooltip>
  );
}

/** Shows reason and time if the channel fails or if Tollgate disabled it. */
export function Status({ channel }: CellProps) {
  const t = useTranslate();
  const wireWords = useWireWords();
  const sayFailure = useTestFailure();
  const { tone, word } = isFailing(channel)
    ? ({ tone: 'bad', word: text.failing } as const)
    : (statuses[channel.status] ?? { tone: 'idle', word: text.unknown });
  const because = channel.status === channelStatus.autoDisabled ? disabledBecause(channel) : null;
  const dot = <Dot tone={tone}>{t(word)}</Dot>;
  const reason = because
    ? t(text.reason, { reason: wireWords(because.reason), time: formatDateTime(because.time) })
    : isFailing(channel) && sayFailure(channel);
  return reason ? <Why reason={`${t(word)} · ${reason}`}>{dot}</Why> : dot;
}

/** Specification 2, section 4: up to 1 s good, 3 s fair, 5 s slow, then too slow. */
const speedTone = (ms: number): Tone =>
  ms === 0 ? 'neutral' : ms <= 1000 ? 'good' : ms <= 3000 ? 'lime' : ms <= 5000 ? 'warn' : 'bad';

/** Duration of the last test. A failed test shows its reason on hover. */
export function ResponseTime({ channel }: CellProps) {
  const t = useTranslate();
  const sayFailure = useTestFailure();
  const { response_time: ms, test_time: at, test_outcome: outcome } = channel;
  if (outcome === testOutcome.failed) {
    return (
      <Why reason={sayFailure(channel)}>
        <Tag tone="bad">{t(text.testFailed)}</Tag>
      </Why>
    );
  }
  return (
    <Tag tone={speedTone(ms)} title={at > 0 ? t(text.testedAt, { time: formatDateTime(at) }) : undefined}>
      {ms === 0 ? t(text.untested) : formatDuration(ms)}
    </Tag>
  );
}

/** The amount spent here, and the balance at the provider; a click fetches the balance. */
export function UsedBalance({ channel }: CellProps) {
  const t = useTranslate();
  const refresh = useChannelMutation((id: number) => callFull(channelApi.updateBalance, { id }));
  const asleep = useDemoDisabled();
  // The balance is unknown until it is fetched; 0 would mean an empty account.
  const known = channel.balance_updated_time === 0 ? nothing : formatDollars(channel.balance);
  return (
    <span className="tabular">
      <Money quota={channel.used_quota} />
      {' / '}
      <UnstyledButton
        title={asleep.title ?? t(text.refreshBalance)}
        fz="inherit"
        c="var(--tg-accent-text)"
        disabled={refresh.isPending || asleep.disabled === true}
        aria-label={`${known}, ${t(text.refreshBalance)}`}
        onClick={() =>
          refresh.mutate(channel.id, {
            onSuccess: ({ extra }) =>
              toast.good(t(text.balanceIs, { balance: formatDollars(extra.balance) })),
          })
        }
      >
        {refresh.isPending ? '…' : known}
      </UnstyledButton>
    </span>
  );
}

/** The largest priority and weight that can be stored. */
const maxStored = 1_000_000_000;

interface NumberCellProps extends CellProps {
  field: 'priority' | 'weight';
  min: number;
  label: string;
}

/** A number that is edited in the row. It is saved on blur or Enter, and only if it changed. */
export function NumberCell({ channel, field, min, label }: NumberCellProps) {
  const stored = channel[field];
  const update = useUpdateChannel();
  const asleep = useDemoDisabled();
  const [typed, setTyped] = useState(String(stored));
  const [known, setKnown] = useState(stored);
  if (known !== stored) {
    setKnown(stored);
    setTyped(String(stored));
  }
  const save = () => {
    const value = /^-?\d+$/.test(typed) ? Math.min(Math.max(Number(typed), min), maxStored) : stored;
    setTyped(String(value));
    if (value !== stored)
      update.mutate({ id: channel.id, [field]: value }, { onError: () => setTyped(String(stored)) });
  };
  return (
    // Plain, because each row has two of them.
    <input
      className={classes.number}
      aria-label={label}
      inputMode="numeric"
      value={typed}
      disabled={update.isPending}
      {...asleep}
      onChange={(event) => setTyped(event.currentTarget.value.trim())}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') setTyped(String(stored));
      }}
    />
  );
}
