import {
  accountTable,
  chargeTables,
  exactMoney,
  sheetAmounts,
  sheetHeads,
  type SheetTable,
  type StatementData,
} from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Panel } from '../../ui/panel.tsx';
import classes from './page.module.css';
import { text } from './text.ts';

interface LinesProps {
  table: SheetTable;
  /** Text of an amount in dollars. */
  money: (quota: number) => string;
}

function Lines({ table: { title, first, counted, lines }, money }: LinesProps) {
  const t = useTranslate();
  const language = useLanguage();
  return (
    <table className={classes.lines} aria-label={title}>
      <thead>
        <tr>
          <th scope="col" colSpan={counted ? 1 : 2}>
            {first}
          </th>
          {counted && <th scope="col">{t(sheetHeads.entries)}</th>}
          <th scope="col">{t(sheetHeads.amount)}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ key, name, count, amount, strong }) => (
          <tr key={key} data-strong={strong}>
            <th scope="row" colSpan={count === undefined ? 2 : 1}>
              {name}
            </th>
            {count !== undefined && <td className="tabular">{formatNumber(count, language)}</td>}
            <td className="tabular">{money(amount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The lines of a month, from the opening to the closing balance, and the charges by key and by model. */
export function Sheet({ statement, isNow }: { statement: StatementData; isNow: boolean }) {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const account = accountTable(statement, { language, isNow });
  const charges = chargeTables(statement, language);
  const money = exactMoney(sheetAmounts([account, ...charges]), perUnit);
  return (
    <>
      <Panel flush>
        <Lines table={account} money={money} />
      </Panel>
      {charges.length === 0 ? (
        <Panel>
          <p className={classes.quiet}>{t(text.noCalls)}</p>
        </Panel>
      ) : (
        <div className={classes.pair}>
          {charges.map((table) => (
            <Panel key={table.title} title={table.title} hint={table.hint} flush>
              <Lines table={table} money={money} />
            </Panel>
          ))}
        </div>
      )}
    </>
  );
}
