import { Link } from '@tanstack/react-router';
import { useTranslate, type Text } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { useCopy } from '../../../shared/copy/use-copy.tsx';
import { MoneySum } from '../../../shared/money/money.tsx';
import { Nothing } from '../../../ui/nothing.tsx';
import { Tag, type Tone } from '../../../ui/tag.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { text } from '../base/text.ts';
import { openText } from './open-text.tsx';
import classes from './tasks.module.css';

/** Duration in seconds from which a task is slow. */
const longSeconds = 60;

/** Whole seconds from submission to end; both in seconds, 0 if it has not happened. */
export function Took({ from, to }: { from: number; to: number }) {
  const t = useTranslate();
  if (from === 0 || to === 0) return <span className={classes.quiet}>{t(text.none)}</span>;
  const took = Math.max(0, Math.round(to - from));
  return <Tag tone={took > longSeconds ? 'bad' : 'good'}>{t(text.seconds, { count: took })}</Tag>;
}

const channelTones: readonly Tone[] = ['info', 'accent', 'lime', 'orange', 'good', 'warn'];

/** A channel's id in a fixed colour; a click copies it. */
export function ChannelTag({ id }: { id: number }) {
  const t = useTranslate();
  const { copy } = useCopy();
  if (id === 0) return null;
  return (
    <button
      type="button"
      className={classes.tagButton}
      aria-label={`${t(text.channelId)} ${id}`}
      onClick={() => void copy(String(id))}
    >
      <Tag tone={channelTones[id % channelTones.length] ?? 'info'}>{id}</Tag>
    </button>
  );
}

/** Our ids are long and differ at their end; the tooltip has the full id. */
const shortId = (id: string): string => (id.length > 16 ? `…${id.slice(-6)}` : id);

interface TaskIdProps {
  id: string;
  /** Opens the task's details. */
  onOpen: () => void;
}

/** The id of a task: a click opens it, the icon copies it. */
export function TaskId({ id, onOpen }: TaskIdProps) {
  const t = useTranslate();
  return (
    <span className={classes.id}>
      <TextButton title={id} onClick={onOpen}>
        {shortId(id)}
      </TextButton>
      <CopyButton value={id} what={t(text.taskId)} size="xs" />
    </span>
  );
}

/** A prompt or a reason: its beginning, and the full text on a click. */
export function LongText({ title, value }: { title: Text; value: string }) {
  const t = useTranslate();
  if (value === '') return <Nothing />;
  return (
    <TextButton className={classes.long} title={t(text.whole)} onClick={() => void openText(t(title), value)}>
      {value}
    </TextButton>
  );
}

interface CostProps {
  /** Quota units. */
  quota: number;
  status: string;
  requestId: string;
}

/** Current cost of a task, with a link to its log rows; a failed task is refunded. */
export function Cost({ quota, status, requestId }: CostProps) {
  const t = useTranslate();
  const isBack = status === 'FAILURE' && quota === 0;
  return (
    <Link
      to="/log"
      search={{ request: requestId, range: 'all' }}
      className={classes.link}
      title={t(isBack ? text.refundedHint : text.toLog)}
    >
      {isBack ? <Tag tone="good">{t(text.refunded)}</Tag> : <MoneySum quota={quota} />}
    </Link>
  );
}
