import type { ReportRow, UsagePart } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { MoneySum } from '../../shared/money/money.tsx';
import classes from './reconciliation.module.css';
import { text } from './text.ts';

const day = 86_400;

/** The usage log's address of the calls of a part. */
const logSearchOf = (row: ReportRow, part: UsagePart): Record<string, string> => ({
  type: '2',
  range: 'custom',
  start: String(row.day),
  end: String(row.day + day - 1),
  channel: String(part.channel),
  model: `=${part.model}`,
});

/** The parts of a row: our channels, the callers' model names, and links to their calls. */
export function Parts({ row }: { row: ReportRow }) {
  const t = useTranslate();
  return (
    <div className={classes.parts}>
      {row.names.length > 1 && (
        <span className={classes.quiet}>{t(text.names, { names: row.names.join(', ') })}</span>
      )}
      {row.parts.length === 0 && <span>{t(text.noParts)}</span>}
      {row.parts.map((part) => (
        <Part key={`${part.channel} ${part.model}`} row={row} part={part} />
      ))}
    </div>
  );
}

function Part({ row, part }: { row: ReportRow; part: UsagePart }) {
  const t = useTranslate();
  const language = useLanguage();
  const count = (value: number) => formatNumber(value, language);
  const channel = part.channel_name || t(text.gone, { id: part.channel });
  return (
    <div className={classes.part}>
      <strong>{channel}</strong>
      <span>{part.model}</span>
      <span className="tabular">
        {t(text.calls)} {count(part.calls)}
      </span>
      <span className="tabular">
        {t(text.input)} {count(part.input)}
      </span>
      <span className="tabular">
        {t(text.output)} {count(part.output)}
      </span>
      <span>
        {t(text.cost)} <MoneySum quota={part.cost} />
      </span>
      {part.unknown_calls > 0 && (
        <span className={classes.quiet}>{t(text.unknown, { count: count(part.unknown_calls) })}</span>
      )}
      <Link to="/log" search={logSearchOf(row, part)} className={classes.link}>
        {t(text.inLog)}
      </Link>
    </div>
  );
}
