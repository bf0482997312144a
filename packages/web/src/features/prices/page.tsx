import { useTranslate } from '../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { BelowCost } from '../../shared/below-cost/below-cost.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Book } from './book/book.tsx';
import classes from './base/prices.module.css';
import { text } from './base/text.ts';

/** Prices of models, for administrators; only root changes them. */
export function Page() {
  const t = useTranslate();
  const isRoot = mayAccess(useCurrentUser(), 'root');
  return (
    <>
      <PageHead title={t(text.title)} hint={t(isRoot ? text.hint : text.readOnly)} />
      {isRoot && (
        <div className={classes.lead}>
          <BelowCost />
        </div>
      )}
      <Book mayEdit={isRoot} />
    </>
  );
}
