import type { LogData, ReceiptData } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { type Say, type Text, useLanguage, useSay } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { CopyableId } from '../../../shared/copy/copyable-id.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { soundWords } from '../base/marks.tsx';
import { type LogOther, otherOf } from '../base/other.ts';
import { SessionLink } from '../base/session-link.tsx';
import { TaskLink } from '../base/task-link.tsx';
import { teamOf } from '../base/team-of.ts';
import { taskPriceWords } from './task-price.ts';
import { endNames, receiptText as text } from './receipt-text.ts';

interface AboutProps {
  receipt: ReceiptData;
  row: LogData;
}

/** Who told the usage: the vendor, or we who counted or had to guess it. */
function sourceOf(source: string): Text {
  if (source === 'estimated') return text.estimated;
  return source === 'counted' ? text.counted : text.upstream;
}

/** Which task it was, how its price came about, and that it comes back where it fails. */
function taskRows({ task }: LogOther, say: Say): (readonly [string, ReactNode])[] {
  if (!task) return [];
  return [
    [
      say(text.task),
      <TaskLink key="task" task={task}>
        <InlineCode>{task.id}</InlineCode>
      </TaskLink>,
    ],
    [say(text.taskAction), task.action],
    [say(text.taskPrice), taskPriceWords(task, say)],
    [say(text.refunds), say(text.ifItFails)],
  ];
}

/** What else is known of a call: where it belongs, how it was counted, why it ended. */
export function About({ receipt, row }: AboutProps) {
  const say = useSay();
  const language = useLanguage();
  const { end_reason: end, usage_source: source, model_name: model, route, request_id: id } = receipt;
  const other = otherOf(row);
  const count = (value: number) => formatNumber(value, language);
  return (
    <DescriptionList
      rows={[
        [say(text.upstreamModel), route.upstream_model === model ? '' : route.upstream_model],
        [say(text.language), other.isClaude ? 'Anthropic Messages' : ''],
        [say(text.effort), other.reasoningEffort ?? ''],
        [say(text.tier), receipt.service_tier],
        [
          say(text.context),
          receipt.context_above > 0 ? say(text.above, { count: count(receipt.context_above) }) : '',
        ],
        [say(text.sound), soundWords(other, say, count)],
        [say(text.usageSource), say(sourceOf(source))],
        [say(text.payer), teamOf(row) && say(text.byTeam, { name: teamOf(row) })],
        ...taskRows(other, say),
        [say(text.price), other.isUnpriced ? say(text.unpriced) : ''],
        [say(text.end), end in endNames ? say(endNames[end as keyof typeof endNames]) : end],
        [
          say(text.session),
          other.session && (
            <SessionLink key="session" session={other.session} at={row.created_at}>
              {say(text.sessionRows)}
            </SessionLink>
          ),
        ],
        [say(text.requestId), <CopyableId key="id" id={id} what={say(text.requestId)} />],
      ]}
    />
  );
}
