import type { AuditData } from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { useTranslate } from '../../lib/i18n.ts';
import classes from './change-list.module.css';
import { fieldLabel, valueLabel } from './field-labels.ts';
import { auditText } from './text.ts';

type Changes = AuditData['changes'];

interface ValueProps {
  /** '' for nothing. */
  words: string;
  side: 'before' | 'after';
}

function Value({ words, side }: ValueProps) {
  const t = useTranslate();
  if (words === '') return <span className={classes.none}>{t(auditText.nothing)}</span>;
  return (
    <code className={classes.value} data-side={side}>
      {words}
    </code>
  );
}

interface ChangeListProps {
  changes: Changes;
  /** Kind of the changed record, as in the audit log: `user`, `token`, … */
  target: string;
}

/** The fields that changed, each before and after. */
export function ChangeList({ changes, target }: ChangeListProps) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const meant = { target, t, display };
  const rows = Object.entries(changes);
  if (rows.length === 0) return null;
  return (
    <table className={classes.table} aria-label={t(auditText.changes)}>
      <thead>
        <tr>
          <th scope="col">{t(auditText.field)}</th>
          <th scope="col">{t(auditText.before)}</th>
          <th scope="col">{t(auditText.after)}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, { before, after }]) => (
          <tr key={name}>
            <td title={name}>{fieldLabel(name, t)}</td>
            <td>
              <Value words={valueLabel([name, before], meant)} side="before" />
            </td>
            <td>
              <Value words={valueLabel([name, after], meant)} side="after" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
