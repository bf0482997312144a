import { type AuditData, wayToSignIn } from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import type { QuotaDisplay } from '../../lib/format/number-format.ts';
import { useTranslate, type Translate } from '../../lib/i18n.ts';
import { ChangeList } from '../../shared/audit/change-list.tsx';
import { fieldLabel, valueLabel } from '../../shared/audit/field-labels.ts';
import { outcomeLabel } from '../../shared/audit/kind-tag.tsx';
import { DescriptionList } from '../../ui/description-list.tsx';
import classes from './audit.module.css';
import { text } from './text.ts';

/** Everything that a row tells, with what changed before and after. */
export function Details({ row }: { row: AuditData }) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  return (
    <div className={classes.details}>
      <ChangeList changes={row.changes} target={row.target_type} />
      <DescriptionList rows={[...notesOf(row, t, display), ...factsOf(row, t)]} />
    </div>
  );
}

const notesOf = ({ note, target_type: target }: AuditData, t: Translate, display: QuotaDisplay) =>
  Object.entries(note).map(
    (each) => [fieldLabel(each[0], t), valueLabel(each, { target, t, display })] as const,
  );

const factsOf = (row: AuditData, t: Translate) =>
  [
    [t(text.outcome), outcomeLabel(row.outcome, t)],
    [t(text.actor), row.actor_id > 0 ? `${row.actor_name} #${row.actor_id}` : ''],
    [t(text.target), row.target_name === '' ? row.target_id : `${row.target_name} #${row.target_id}`],
    [t(text.method), t(wayToSignIn(row.method))],
    [t(text.address), row.ip],
    [t(text.browser), row.user_agent],
    [t(text.requestId), row.request_id],
    [t(text.rowId), `#${row.id}`],
  ] as const;
