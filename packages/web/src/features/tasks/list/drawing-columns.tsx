import { Button } from '@mantine/core';
import { Eye } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { Nothing } from '../../../ui/nothing.tsx';
import { Tag } from '../../../ui/tag.tsx';
import type { DrawingRow } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { actionLabel, codeLabel, statusLabel, type Word } from '../base/labels.ts';
import { ChannelTag, Cost, LongText, TaskId, Took } from '../cells/cells.tsx';
import { ProgressBar } from '../cells/progress.tsx';

type Open = (taskId: string) => void;

/** A wire value in its colour. */
export function WordTag({ word: { word, tone }, title }: { word: Word; title?: string }) {
  const t = useTranslate();
  return (
    <Tag tone={tone} title={title || undefined}>
      {t(word)}
    </Tag>
  );
}

export function Action({ action }: { action: string }) {
  const t = useTranslate();
  return t(actionLabel(action));
}

function ViewButton({ row, onOpen }: { row: DrawingRow; onOpen: Open }) {
  const t = useTranslate();
  if (row.image_url === '' && row.video_url === '') return <Nothing />;
  return (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<Eye size={13} />}
      onClick={() => onOpen(row.mj_id)}
    >
      {t(text.view)}
    </Button>
  );
}

const beginning: readonly Column<DrawingRow>[] = [
  {
    id: 'submit_time',
    title: text.submitTime,
    role: 'title',
    fixed: true,
    render: (row) => <Time at={row.submit_time / 1000} seconds />,
  },
  {
    id: 'took',
    title: text.took,
    render: (row) => <Took from={row.submit_time / 1000} to={row.finish_time / 1000} />,
  },
];

const overseen: readonly Column<DrawingRow>[] = [
  { id: 'channel', title: text.channel, render: (row) => <ChannelTag id={row.channel_id ?? 0} /> },
  { id: 'user', title: text.user, render: (row) => row.username ?? '' },
];

const middle = (onOpen: Open): readonly Column<DrawingRow>[] => [
  { id: 'action', title: text.action, card: 'line', render: (row) => <Action action={row.action} /> },
  {
    id: 'task',
    title: text.taskId,
    render: (row) => <TaskId id={row.mj_id} onOpen={() => onOpen(row.mj_id)} />,
  },
  {
    id: 'code',
    title: text.submitted,
    roomy: true,
    render: (row) => <WordTag word={codeLabel(row.code)} />,
  },
  {
    id: 'status',
    title: text.status,
    card: 'line',
    render: (row) => <WordTag word={statusLabel(row.status)} title={row.fail_reason} />,
  },
  {
    id: 'progress',
    title: text.progress,
    render: (row) => <ProgressBar progress={row.progress} status={row.status} />,
  },
  { id: 'result', title: text.result, render: (row) => <ViewButton row={row} onOpen={onOpen} /> },
  {
    id: 'cost',
    title: text.cost,
    align: 'end',
    card: 'corner',
    render: (row) => <Cost quota={row.quota} status={row.status} requestId={row.request_id} />,
  },
];

const texts: readonly Column<DrawingRow>[] = [
  {
    id: 'prompt',
    title: text.prompt,
    fills: true,
    render: (row) => <LongText title={text.prompt} value={row.prompt} />,
  },
  {
    id: 'prompt_en',
    title: text.promptEn,
    roomy: true,
    render: (row) => <LongText title={text.promptEn} value={row.prompt_en} />,
  },
  {
    id: 'reason',
    title: text.reasonHead,
    render: (row) => <LongText title={text.reason} value={row.fail_reason} />,
  },
];

/** The columns of the drawing log; administrators see channel and user. */
export const drawingColumns = (isAdmin: boolean, onOpen: Open): readonly Column<DrawingRow>[] => [
  ...beginning,
  ...(isAdmin ? overseen : []),
  ...middle(onOpen),
  ...texts,
];
