import type { LogData, ReceiptData } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { type Translate, type Text, useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatMoney, formatNumber } from '../../../lib/format/number-format.ts';
import { CopyableId } from '../../../shared/copy/copyable-id.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { soundText } from '../base/marks.tsx';
import { type LogOther, otherOf } from '../base/other.ts';
import { SessionLink } from '../base/session-link.tsx';
import { TaskLink } from '../base/task-link.tsx';
import { TagLinks } from '../base/tag-links.tsx';
import { teamOf } from '../base/team-of.ts';
import { taskPriceText } from './task-price.ts';
import { endNames, receiptText as text } from './receipt-text.ts';

interface AboutProps {
  receipt: ReceiptData;
  row: LogData;
}

/** Source of the usage: the vendor's report, our count, our estimate, or the application that sold something. */
function sourceOf(source: string): Text {
  if (source === 'estimated') return text.estimated;
  if (source === 'application') return text.byApplication;
  return source === 'counted' ? text.counted : text.upstream;
}

/** The task, the basis of its price, and its refund on failure. */
function taskRows({ task }: LogOther, t: Translate): (readonly [string, ReactNode])[] {
  if (!task) return [];
  return [
    [
      t(text.task),
      <TaskLink key="task" task={task}>
        <InlineCode>{task.id}</InlineCode>
      </TaskLink>,
    ],
    [t(text.taskAction), task.action],
    [t(text.taskPrice), taskPriceText(task, t)],
    [t(text.refunds), t(text.ifItFails)],
  ];
}

/** More facts about a call: its origin, its usage count, the reason of its end. */
export function About({ receipt, row }: AboutProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { end_reason: end, usage_source: source, model_name: model, route, request_id: id } = receipt;
  const other = otherOf(row);
  const display = useQuotaDisplay();
  const count = (value: number) => formatNumber(value, language);
  return (
    <DescriptionList
      rows={[
        [t(text.upstreamModel), route.upstream_model === model ? '' : route.upstream_model],
        [t(text.pricedModel), other.pricedModel ?? ''],
        [t(text.cheaperBy), receipt.cheaper_by],
        [t(text.hook), other.replacedBy === null ? '' : t(text.replacedBy, { name: other.replacedBy })],
        [
          t(text.stored),
          other.cacheShare === null ? '' : t(text.ofPrice, { percent: Math.round(other.cacheShare * 100) }),
        ],
        [t(text.language), other.isClaude ? 'Anthropic Messages' : ''],
        [t(text.effort), other.reasoningEffort ?? ''],
        [t(text.tier), receipt.service_tier],
        [
          t(text.context),
          receipt.context_above > 0 ? t(text.above, { count: count(receipt.context_above) }) : '',
        ],
        [t(text.ceiling), receipt.max_cost === null ? '' : formatMoney(receipt.max_cost, display, 6)],
        [t(text.sound), soundText(other, t, count)],
        [t(text.usageSource), t(sourceOf(source))],
        [t(text.payer), teamOf(row) && t(text.byTeam, { name: teamOf(row) })],
        [t(text.description), other.sale?.description ?? ''],
        [t(text.hold), other.sale && <CopyableId key="hold" id={other.sale.id} what={t(text.hold)} />],
        [t(text.held), other.sale ? formatMoney(other.sale.held, display, 6) : ''],
        ...taskRows(other, t),
        [t(text.price), other.isUnpriced ? t(text.unpriced) : ''],
        [t(text.end), end in endNames ? t(endNames[end as keyof typeof endNames]) : end],
        [
          t(text.session),
          other.session && (
            <SessionLink key="session" session={other.session} at={row.created_at}>
              {t(text.sessionRows)}
            </SessionLink>
          ),
        ],
        [t(text.tags), row.tags && <TagLinks key="tags" row={row} />],
        [t(text.requestId), <CopyableId key="id" id={id} what={t(text.requestId)} />],
      ]}
    />
  );
}
