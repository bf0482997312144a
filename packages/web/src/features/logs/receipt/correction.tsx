import { role, type LogData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { useTranslate } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { MoneySum } from '../../../shared/money/money.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { otherOf } from '../base/other.ts';
import classes from './receipt.module.css';
import { receiptText as text } from './receipt-text.ts';

/** Amount and reason of a correction, with links to the charge and, for root, to the whole correction. */
export function Correction({ row }: { row: LogData }) {
  const t = useTranslate();
  const isRoot = (useCurrentUser()?.role ?? 0) >= role.root;
  const { correction } = otherOf(row);
  if (!correction) return null;
  return (
    <div className={classes.receipt}>
      <DescriptionList
        rows={[
          [t(correction.isUndone ? text.undoReason : text.reason), row.content],
          [t(text.charged), <MoneySum key="charged" quota={correction.charged} />],
          [
            t(row.quota < 0 ? text.takenLater : text.givenBack),
            <MoneySum key="moved" quota={Math.abs(row.quota)} />,
          ],
        ]}
      />
      <DescriptionList
        rows={[
          [
            t(text.requestId),
            <Link key="request" to="/log" search={{ request: row.request_id, range: 'all', type: '2' }}>
              {t(text.toCharge)}
            </Link>,
          ],
          [
            t(text.correction),
            isRoot && (
              <Link key="correction" to="/correction" search={{ open: String(correction.id) }}>
                {`#${correction.id}`}
              </Link>
            ),
          ],
        ]}
      />
    </div>
  );
}
