import { Button } from '@mantine/core';
import { CircleStop, Eye, Play } from 'lucide-react';
import { type Translate, useTranslate } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { isOpen, type TaskRow, useCancelBatch } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { platformLabel, statusLabel } from '../base/labels.ts';
import { isShowable, workOfTask } from '../base/work.ts';
import { ChannelTag, Cost, LongText, TaskId, Took } from '../cells/cells.tsx';
import { openRecord } from '../cells/open-text.tsx';
import { ProgressRing } from '../cells/progress.tsx';
import { Action, WordTag } from './drawing-columns.tsx';
import { Nothing } from '../../../ui/nothing.tsx';

type Open = (taskId: string) => void;

function PlayButton({ row, onOpen }: { row: TaskRow; onOpen: Open }) {
  const t = useTranslate();
  if (!isShowable(workOfTask(row))) return <Nothing />;
  const isText = row.action === 'LYRICS';
  const Icon = isText ? Eye : Play;
  return (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<Icon size={13} />}
      onClick={() => onOpen(row.task_id)}
    >
      {t(isText ? text.view : text.play)}
    </Button>
  );
}

/** Cancels a running batch of the reader, after a question. */
function CancelButton({ row }: { row: TaskRow }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const cancel = useCancelBatch();
  const userId = useCurrentUser()?.id;
  if (!isOpen(row) || row.user_id !== userId) return <Nothing />;
  const ask = async () => {
    const question = { title: t(text.cancelTitle), body: t(text.cancelHint), action: t(text.cancelBatch) };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await cancel.mutateAsync(row.id);
      toast.good(t(text.cancelled));
    } catch {
      // The mutation itself shows the error as a toast.
    }
  };
  return (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<CircleStop size={13} />}
      loading={cancel.isPending}
      onClick={() => void ask()}
    >
      {t(text.cancelBatch)}
    </Button>
  );
}

function Platform({ platform }: { platform: string }) {
  const t = useTranslate();
  return t(platformLabel(platform));
}

const beginning: readonly Column<TaskRow>[] = [
  {
    id: 'submit_time',
    title: text.submitTime,
    role: 'title',
    fixed: true,
    render: (row) => <Time at={row.submit_time} seconds />,
  },
  {
    id: 'finish_time',
    title: text.finishTime,
    roomy: true,
    render: (row) =>
      row.finish_time === 0 ? <Nothing /> : <Time at={row.finish_time} seconds beside={row.submit_time} />,
  },
  {
    id: 'progress',
    title: text.progress,
    render: (row) => <ProgressRing progress={row.progress} status={row.status} />,
  },
  { id: 'took', title: text.took, render: (row) => <Took from={row.submit_time} to={row.finish_time} /> },
];

const overseen: readonly Column<TaskRow>[] = [
  { id: 'channel', title: text.channel, render: (row) => <ChannelTag id={row.channel_id ?? 0} /> },
  { id: 'user', title: text.user, render: (row) => row.username ?? '' },
];

/** The request of a task in the log; calls of a batch have rows of their own, with its request before their line. */
const logOf = ({ platform, request_id: id }: TaskRow): string => (platform === 'batch' ? `${id}-%` : id);

const ending = (t: Translate, onOpen: Open): readonly Column<TaskRow>[] => [
  { id: 'platform', title: text.platform, render: (row) => <Platform platform={row.platform} /> },
  { id: 'action', title: text.action, card: 'line', render: (row) => <Action action={row.action} /> },
  {
    id: 'task',
    title: text.taskId,
    render: (row) => <TaskId id={row.task_id} onOpen={() => void openRecord(t(text.record), row)} />,
  },
  {
    id: 'status',
    title: text.status,
    card: 'line',
    render: (row) => <WordTag word={statusLabel(row.status)} title={row.fail_reason} />,
  },
  {
    id: 'result',
    title: text.made,
    render: (row) =>
      row.platform === 'batch' ? <CancelButton row={row} /> : <PlayButton row={row} onOpen={onOpen} />,
  },
  {
    id: 'cost',
    title: text.cost,
    align: 'end',
    card: 'corner',
    render: (row) => <Cost quota={row.quota} status={row.status} requestId={logOf(row)} />,
  },
  {
    id: 'prompt',
    title: text.prompt,
    fills: true,
    render: (row) => <LongText title={text.prompt} value={row.properties.input} />,
  },
  {
    id: 'reason',
    title: text.reasonHead,
    render: (row) => <LongText title={text.reason} value={row.fail_reason} />,
  },
];

/** The columns of the task log; administrators see channel and user. */
export const taskColumns = (isAdmin: boolean, t: Translate, onOpen: Open): readonly Column<TaskRow>[] => [
  ...beginning,
  ...(isAdmin ? overseen : []),
  ...ending(t, onOpen),
];
