import { isChannelTest, logType, type LogData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { ArrowRightLeft, Waves } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatDuration, formatNumber } from '../../../lib/format/number-format.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { GroupTag } from '../../../shared/group-tag/group-tag.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { Tag } from '../../../ui/tag.tsx';
import classes from '../base/cells.module.css';
import { Details } from '../base/marks.tsx';
import { otherOf } from '../base/other.ts';
import { text } from '../base/text.ts';
import { teamOf } from '../base/team-of.ts';
import { costOf, durationTone, firstTokenTone, typeOf } from '../base/types.ts';
import { UserLink } from './user-link.tsx';

interface CellProps {
  row: LogData;
}

const isCall = (row: LogData) => row.type === logType.consume || row.type === logType.error;

/** A call without tokens, such as a drawing or an early failure, shows no zeros. */
const hasNoTokens = (row: LogData) => row.prompt_tokens === 0 && row.completion_tokens === 0;
const isUnused = (row: LogData) => row.type === logType.error && hasNoTokens(row);

const time: Column<LogData> = {
  id: 'time',
  title: text.time,
  role: 'title',
  fixed: true,
  render: (row) => <Time at={row.created_at} seconds />,
};

/** Kind and cost come first: they must be visible on any screen. */
const callColumns: readonly Column<LogData>[] = [
  { id: 'type', title: text.type, card: 'line', render: (row) => <Type row={row} /> },
  { id: 'model', title: text.model, card: 'line', render: (row) => <Model row={row} /> },
  { id: 'cost', title: text.cost, align: 'end', card: 'corner', render: (row) => <Cost row={row} /> },
  { id: 'input', title: text.input, align: 'end', render: (row) => <Input row={row} /> },
  { id: 'output', title: text.output, align: 'end', render: (row) => <Output row={row} /> },
  { id: 'duration', title: text.duration, card: 'line', render: (row) => <Duration row={row} /> },
  { id: 'token', title: text.token, render: (row) => <TokenName name={row.token_name} /> },
  {
    id: 'group',
    title: text.group,
    roomy: true,
    render: (row) => <Group name={row.group} />,
  },
];
const details: Column<LogData> = {
  id: 'details',
  title: text.details,
  card: 'line',
  fills: true,
  render: (row) => <Details row={row} />,
};

const ownColumns: readonly Column<LogData>[] = [time, ...callColumns, details];

/** Administrators also see the user, the answering channel, and the channels tried before. */
const adminColumns: readonly Column<LogData>[] = [
  time,
  {
    id: 'user',
    title: text.user,
    render: (row) => (
      <TruncatedName of="user" name={row.username}>
        <UserLink id={row.user_id} name={row.username} />
      </TruncatedName>
    ),
  },
  ...callColumns,
  { id: 'channel', title: text.channel, render: (row) => <Channel row={row} /> },
  { id: 'retry', title: text.retry, hidden: true, render: (row) => <Retries row={row} /> },
  details,
];

export const logColumns = (isAdmin: boolean) => (isAdmin ? adminColumns : ownColumns);

interface TruncatedNameProps {
  /** Kind of the name: each kind has its share of the width. */
  of: 'model' | 'mapped' | 'token' | 'channel' | 'team' | 'user' | 'group';
  /** False if an enclosing element already has the whole name as its tooltip. */
  title?: boolean;
  name: string;
  /** The content, if it is more than the name. */
  children?: ReactNode;
}

/** A name that may be long: cut off, with the whole name as a tooltip. */
const TruncatedName = ({ of, title = true, name, children = name }: TruncatedNameProps) => (
  <span className={classes.cut} data-of={of} title={title ? name : undefined}>
    {children}
  </span>
);

/** Channel tests have a wire name instead of a token's name. */
function TokenName({ name }: { name: string }) {
  const wireWords = useWireWords();
  return name === '' ? null : <TruncatedName of="token" name={wireWords(name)} />;
}

function Group({ name }: { name: string }) {
  if (name === '') return null;
  return (
    <TruncatedName of="group" name={name}>
      <GroupTag group={name} />
    </TruncatedName>
  );
}

function Channel({ row }: CellProps) {
  if (row.channel === 0) return null;
  return (
    <Link to="/channel" search={{ edit: String(row.channel) }} className={classes.link}>
      <TruncatedName of="channel" name={`#${row.channel} ${row.channel_name}`} />
    </Link>
  );
}

function Type({ row }: CellProps) {
  const t = useTranslate();
  const known = typeOf(row);
  return <Tag tone={known?.tone ?? 'neutral'}>{t(known?.word ?? text.typeUnknown)}</Tag>;
}

function Model({ row }: CellProps) {
  const t = useTranslate();
  const { upstreamModel } = otherOf(row);
  if (upstreamModel === null) return <TruncatedName of="model" name={row.model_name} />;
  const sentAs = t(text.mapped, { model: upstreamModel });
  return (
    <span className={classes.mapped} title={sentAs}>
      <TruncatedName of="mapped" title={false} name={row.model_name} />
      <ArrowRightLeft size={13} aria-label={sentAs} />
    </span>
  );
}

/** Rows of failures have only whole seconds; 0 is shown as less than one. */
const wholeSeconds = (seconds: number) => (seconds === 0 ? '< 1 s' : `${seconds} s`);

function Duration({ row }: CellProps) {
  if (!isCall(row)) return null;
  const { firstTokenMs, totalMs } = otherOf(row);
  return (
    <span className={classes.tags}>
      <Tag tone={row.type === logType.error ? 'neutral' : durationTone(row.use_time)}>
        {totalMs === null ? wholeSeconds(row.use_time) : formatDuration(totalMs)}
      </Tag>
      {row.is_stream && firstTokenMs !== null && (
        <Tag tone={firstTokenTone(firstTokenMs)}>{formatDuration(firstTokenMs)}</Tag>
      )}
      {row.is_stream && <StreamMark />}
    </span>
  );
}

/** An icon instead of a word, to leave room for the figures beside it. */
function StreamMark() {
  const t = useTranslate();
  return (
    <span className={classes.quiet} title={t(text.stream)}>
      <Waves size={13} aria-label={t(text.stream)} />
    </span>
  );
}

function Input({ row }: CellProps) {
  const t = useTranslate();
  const language = useLanguage();
  if (!isCall(row) || hasNoTokens(row)) return null;
  const { cachedTokens, writtenTokens } = otherOf(row);
  const cached = [
    cachedTokens > 0 && t(text.cached, { count: formatNumber(cachedTokens, language) }),
    writtenTokens > 0 && t(text.written, { count: formatNumber(writtenTokens, language) }),
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <span title={cached || undefined}>
      {cached && <span className={classes.cache} aria-hidden="true" />}
      {formatNumber(row.prompt_tokens, language)}
    </span>
  );
}

function Output({ row }: CellProps) {
  const language = useLanguage();
  return isCall(row) && !hasNoTokens(row) ? formatNumber(row.completion_tokens, language) : null;
}

/** The paying team: a tag that links to all rows it paid for. */
function PaidByTeam({ row }: CellProps) {
  const t = useTranslate();
  const name = teamOf(row);
  return (
    <Link to="/log" search={{ payer: String(row.team_id) }} title={t(text.paidByTeam, { name })}>
      <Tag tone="info">
        <TruncatedName of="team" title={false} name={name} />
      </Tag>
    </Link>
  );
}

/** The payer, if it is not the user; then the cost, so that digits are aligned. */
function Cost({ row }: CellProps) {
  if (row.team_id === 0) return <Amount row={row} />;
  return (
    <span className={classes.tags}>
      <PaidByTeam row={row} />
      <Amount row={row} />
    </span>
  );
}

/** The charge, negative for refunds. A channel test shows its price, which is not charged. */
function Amount({ row }: CellProps) {
  const t = useTranslate();
  if (row.quota === 0 && (!isCall(row) || isUnused(row))) return null;
  const cost = <Money quota={costOf(row)} digits={6} />;
  if (!isChannelTest(row)) return cost;
  return (
    <span className={classes.quiet} title={t(text.notCharged)}>
      <s>{cost}</s>
    </span>
  );
}

function Retries({ row }: CellProps) {
  const { channels } = otherOf(row);
  return channels.length > 1 ? channels.join(' → ') : null;
}
